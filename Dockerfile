# The program in an image of its own: docker build -t edgetwin . && docker run --rm edgetwin --help
# A folder with networks: docker run --rm -v "$PWD:/work" edgetwin check net.onnx --target esp32s3
FROM debian:12 AS build
COPY . /edgetwin
WORKDIR /edgetwin
# The first command of the README proves the build; the package reuses its compilation (ccache).
RUN ./run
RUN cmake --preset package && cmake --build --preset package \
    && cd build/package && cpack -G DEB

FROM debian:12-slim
COPY --from=build /edgetwin/build/package/edgetwin_*.deb /tmp/
RUN apt-get update \
    && apt-get install -y --no-install-recommends /tmp/edgetwin_*.deb \
    && rm -rf /tmp/edgetwin_*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["edgetwin"]
CMD ["--help"]
