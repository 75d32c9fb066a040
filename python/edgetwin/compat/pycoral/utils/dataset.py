"""Files of labels."""
import re


def read_label_file(file_path):
    """{id: label} of a text file: "7: cat" or "7 cat"; without a number the row counts."""
    labels = {}
    with open(file_path, "r", encoding="utf-8") as file:
        for row, line in enumerate(file.readlines()):
            parts = re.split(r"[:\s]+", line.strip(), maxsplit=1)
            if len(parts) == 2 and parts[0].strip().isdigit():
                labels[int(parts[0])] = parts[1].strip()
            else:
                labels[row] = line.strip()
    return labels
