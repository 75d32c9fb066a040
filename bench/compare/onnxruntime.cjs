// The peer of bench_compare: one network in ONNX Runtime, timed on request.
//
//   node onnxruntime.cjs FOLDER
//
// FOLDER has model.onnx and job.json: where onnxruntime-node is installed, threads, inputs (name,
// type, dims, file). Writes the outputs there, prints one line when ready, and then one line for
// each line of its input: a count of runs, answered by the least processor and wall time of one.
'use strict';
const fs = require('fs');
const path = require('path');
const {createRequire} = require('module');

const kArrays = {
  float32: Float32Array, uint8: Uint8Array, int8: Int8Array, int16: Int16Array,
  int32: Int32Array, int64: BigInt64Array
};

function feed(ort, folder, input) {
  const raw = fs.readFileSync(path.join(folder, input.file));
  const Type = kArrays[input.type];
  const copy = new Uint8Array(raw).buffer;
  return new ort.Tensor(input.type, new Type(copy), input.dims);
}

// The least single run, as on our side.
async function timed(session, feeds, count) {
  let processor = Infinity, wall = Infinity;
  for (let i = 0; i < count; ++i) {
    const begin = process.hrtime.bigint(), used = process.cpuUsage();
    await session.run(feeds);
    const after = process.cpuUsage(used);
    wall = Math.min(wall, Number(process.hrtime.bigint() - begin) * 1e-9);
    processor = Math.min(processor, (after.user + after.system) * 1e-6);
  }
  return {processor, wall};
}

// With all its rewrites; some networks it can only load with fewer of them.
async function fastest(ort, file, threads) {
  let refusal;
  for (const level of ['all', 'extended', 'basic', 'disabled']) {
    try {
      const session = await ort.InferenceSession.create(file, {
        intraOpNumThreads: threads, interOpNumThreads: 1, executionMode: 'sequential',
        graphOptimizationLevel: level, logSeverityLevel: 3
      });
      if (refusal) console.error(`${refusal.message || refusal}\nONNX Runtime optimizes: ${level}`);
      return session;
    } catch (e) {
      refusal = refusal || e;
    }
  }
  throw refusal;
}

async function main() {
  const folder = process.argv[2];
  const job = JSON.parse(fs.readFileSync(path.join(folder, 'job.json'), 'utf8'));
  const ort = createRequire(path.join(job.installed, 'x.js'))('onnxruntime-node');
  const session = await fastest(ort, path.join(folder, 'model.onnx'), job.threads);
  const feeds = {};
  for (const input of job.inputs) feeds[input.name] = feed(ort, folder, input);
  const results = await session.run(feeds);
  session.outputNames.forEach((name, i) => {
    const data = results[name].data;
    fs.writeFileSync(path.join(folder, `output${i}`),
                     Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  });
  console.log(JSON.stringify({version: ort.env.versions ? ort.env.versions.node : ''}));
  const lines = require('readline').createInterface({input: process.stdin});
  for await (const line of lines) {
    console.log(JSON.stringify(await timed(session, feeds, Number(line))));
  }
}

main().catch(e => { console.error(e.message || e); process.exit(1); });
