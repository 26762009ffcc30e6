// The log-likelihoods of benchmarks/prompts.py by llama.cpp (node-llama-cpp), on one thread of a CPU.
//
//     node benchmarks/prompts_llama_cpp.mjs MODEL.gguf < QUESTIONS.json
//
// QUESTIONS.json is a list of prompts, each a list of [context, answers]. As its server does, the keys and values of what
// a question begins with like the one before it stay where they are. What is printed is JSON: the log-likelihoods, the
// processor seconds of all threads after the weights were read, and the number of tokens of all contexts. It needs
// `npm install node-llama-cpp`, in the folder of the script, above it, or in NODE_PATH.
import {createRequire} from "node:module";
import {readFileSync} from "node:fs";
import path from "node:path";
import {pathToFileURL} from "node:url";

const root = process.env.NODE_PATH ? path.join(process.env.NODE_PATH, "x") : import.meta.url;
const {getLlama, LlamaLogLevel} = await import(pathToFileURL(createRequire(root).resolve("node-llama-cpp")));
const llama = await getLlama({gpu: false, build: "never", logLevel: LlamaLogLevel.error, maxThreads: 1});
const model = await llama.loadModel({modelPath: process.argv[2]});
const context = await model.createContext({contextSize: 2048, batchSize: 512, threads: 1});
const sequence = context.getSequence();
const prompts = JSON.parse(readFileSync(0, "utf8"));

const want = (token, tokens) => [token, {generateNext: {totalLogitWeight: true, logits: {filter: {tokens, includeMax: true}}}}];

function logOf(result, token) {
    const {logits, totalLogitWeight} = result.next;
    return logits.get(token) - Math.max(...logits.values()) - Math.log(totalLogitWeight);
}

async function score(text, answers) {
    // Context and answer are cut into tokens together, as lm-evaluation-harness does.
    const begin = model.tokenize(text);
    const options = answers.map((answer) => model.tokenize(text + answer).slice(begin.length));
    await sequence.adaptStateToTokens(begin.slice(0, -1), false);
    const known = sequence.nextTokenIndex;
    const rest = begin.slice(known);
    const firsts = [...new Set(options.map((option) => option[0]))];
    const found = await sequence.controlledEvaluate([...rest.slice(0, -1), want(rest.at(-1), firsts)]);
    const values = options.map((option) => logOf(found.at(-1), option[0]));
    for (const [place, option] of options.entries()) {
        if (option.length < 2) continue;
        await sequence.adaptStateToTokens(begin, false);
        const more = await sequence.controlledEvaluate(option.slice(0, -1).map((token, i) => want(token, [option[i + 1]])));
        more.forEach((result, i) => { values[place] += logOf(result, option[i + 1]); });
    }
    return {values, tokens: begin.length};
}

await score("Warm up: one", [" a", " b"]);
await sequence.clearHistory();
const start = process.cpuUsage();
const values = [];
let tokens = 0;
for (const questions of prompts) {
    const row = [];
    for (const [text, answers] of questions) {
        const found = await score(text, answers);
        row.push(found.values);
        tokens += found.tokens;
    }
    values.push(row);
}
const used = process.cpuUsage(start);
console.log(JSON.stringify({values, seconds: (used.user + used.system) / 1e6, tokens}));
await llama.dispose();
process.exit(0);
