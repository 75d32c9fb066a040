#include "report/page/page_style.h"

namespace edgetwin::report {

const std::string_view kPageStyle = R"css(
:root { color-scheme: light dark;
  --paper: #ffffff; --card: #f6f7f9; --ink: #1b2330; --soft: #5c6675; --line: #dfe3e8;
  --accent: #2563c9; --good: #17803d; --good-paper: #e5f5ea; --bad: #b3261e; --bad-paper: #fdeceb;
  --none-paper: #e9effa; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #12161c; --card: #1a2029; --ink: #e6e9ee; --soft: #98a3b3; --line: #2c3542;
  --accent: #74a7f7; --good: #6fd08c; --good-paper: #14301d; --bad: #ff9d94; --bad-paper: #3a1917;
  --none-paper: #1a2740; --warn: #e8b45a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 28px 24px 64px; }
header { display: flex; align-items: baseline; justify-content: space-between; gap: 16px;
  flex-wrap: wrap; }
h1 { font-size: 24px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 40px 0 10px; padding-bottom: 6px; border-bottom: 1px solid var(--line); }
h3, .method, .finding { overflow-wrap: anywhere; }
.soft, .method { color: var(--soft); }
.method { font-size: 13px; margin: 8px 0; }
.verdict { margin: 18px 0 0; padding: 14px 18px; border-radius: 8px; font-weight: 600;
  background: var(--none-paper); border-left: 5px solid var(--accent); overflow-wrap: anywhere; }
.verdict.yes { background: var(--good-paper); border-color: var(--good); color: var(--good); }
.verdict.no { background: var(--bad-paper); border-color: var(--bad); color: var(--bad); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px;
  margin: 14px 0; }
.fact { background: var(--card); border-radius: 8px; padding: 10px 14px; }
.fact b { display: block; font-size: 19px; font-weight: 600; font-variant-numeric: tabular-nums; }
.fact span { color: var(--soft); font-size: 13px; }
.scroll { overflow-x: auto; max-height: 560px; overflow-y: auto; border: 1px solid var(--line);
  border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: 5px 10px; white-space: nowrap; vertical-align: middle; }
th { position: sticky; top: 0; background: var(--card); color: var(--soft); font-weight: 600;
  z-index: 1; }
tbody tr { border-top: 1px solid var(--line); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.name { max-width: 280px; overflow: hidden; text-overflow: ellipsis; }
.asked td:first-child { color: var(--soft); width: 160px; vertical-align: top; }
.asked td { white-space: normal; overflow-wrap: anywhere; }
.asked tr:first-child { border-top: 0; }
.whole .scroll { max-height: none; }
.whole td { white-space: normal; vertical-align: top; overflow-wrap: anywhere; }
.whole td, .whole th { padding: 5px 7px; }
.whole td.number { white-space: nowrap; }
.sentences .scroll { max-height: none; }
.sentences td { white-space: normal; overflow-wrap: break-word; vertical-align: top; }
.sentences td:first-child { white-space: nowrap; }
code, pre { font: 13px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { background: var(--card); padding: 12px 16px; border-radius: 8px; overflow-x: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
svg text { fill: var(--soft); font-size: 11px; font-family: inherit; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .bound { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 6 4; }
svg.memory { width: 100%; height: auto; display: block; }
svg.memory text.inside { fill: #ffffff; pointer-events: none; }
svg.memory rect { fill-opacity: .78; stroke: var(--paper); stroke-width: .75; }
svg.memory rect:hover { fill-opacity: 1; }
svg.histogram { width: 160px; height: 35px; display: block; }
svg.histogram path { fill: var(--accent); }
.hue0 { fill: #4c7bd9; } .hue1 { fill: #2fa59a; } .hue2 { fill: #d98c3f; } .hue3 { fill: #9a6fd0; }
.hue4 { fill: #58a548; } .hue5 { fill: #cf5f78; } .hue6 { fill: #4aa3cf; } .hue7 { fill: #b0a03a; }
.bars { display: grid; grid-template-columns: minmax(90px, max-content) 1fr max-content; gap: 3px 12px;
  align-items: center; font-size: 13px; }
.bars .label { max-width: 420px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bars .track { background: var(--card); border-radius: 3px; height: 14px; }
.bars .bar { display: block; height: 14px; border-radius: 3px; background: var(--accent); }
.bars .value { text-align: right; font-variant-numeric: tabular-nums; color: var(--soft); }
.differs td { background: var(--bad-paper); }
.finding { padding: 8px 14px; background: var(--card); border-radius: 8px; margin: 8px 0;
  border-left: 4px solid var(--line); }
.finding.warning { border-color: var(--warn); } .finding.error { border-color: var(--bad); }
h3 { font-size: 14px; margin: 20px 0 8px; }
footer { margin-top: 48px; color: var(--soft); font-size: 13px; }
@media (max-width: 700px) { main { padding: 20px 14px 48px; } .bars .label { max-width: 42vw; } }
@media print { .scroll { max-height: none; overflow: visible; } h2, h3 { break-after: avoid; }
  svg, .facts, .finding, tr { break-inside: avoid; } td, th { white-space: normal; } th { position: static; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)css";

}  // namespace edgetwin::report
