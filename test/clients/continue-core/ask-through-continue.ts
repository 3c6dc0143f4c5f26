// One task of Continue with a provider of the kind `ollama`: GATEWAY_URL and KEY say where, TASK says which. It prints
// what came back.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface Core {
  streamChat(messages: readonly object[], signal: AbortSignal): AsyncIterable<{ readonly content: unknown }>
  streamComplete(prompt: string, signal: AbortSignal, options: object): AsyncIterable<string>
  listModels(): Promise<readonly string[]>
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>
}

interface Adapter {
  chatCompletionNonStream(body: object, signal: AbortSignal): Promise<unknown>
  chatCompletionStream(body: object, signal: AbortSignal): AsyncIterable<unknown>
  embed(body: object): Promise<unknown>
  list(): Promise<unknown>
}

const { GATEWAY_URL: apiBase = '', KEY: apiKey = '', TASK: task = '' } = process.env
const packages = join(import.meta.dirname, 'node_modules', '@continuedev')
const { signal } = new AbortController()
const messages = [{ role: 'user', content: 'Hello!' }]
const words: unknown[] = []

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  async 'core: models'() {
    words.push(await (await openCore('demo-chat')).listModels())
  },
  async 'core: chat'() {
    for await (const { content } of (await openCore('demo-chat')).streamChat(messages, signal))
      words.push(content)
  },
  async 'core: completion'() {
    for await (const text of (await openCore('demo-chat')).streamComplete('Hello!', signal, { raw: true }))
      words.push(text)
  },
  async 'core: vectors'() {
    words.push(await (await openCore('demo-embed')).embed(['a', 'b']))
  },
  async 'adapters: models'() {
    words.push(await (await openAdapter()).list())
  },
  async 'adapters: chat'() {
    words.push(await (await openAdapter()).chatCompletionNonStream({ model: 'demo-chat', messages }, signal))
  },
  async 'adapters: stream'() {
    const body = { model: 'demo-chat', messages, stream: true }
    for await (const chunk of (await openAdapter()).chatCompletionStream(body, signal)) words.push(chunk)
  },
  async 'adapters: vectors'() {
    words.push(await (await openAdapter()).embed({ model: 'demo-embed', input: ['a'] }))
  },
}

await tasks[task]?.()
process.stdout.write(`\n${JSON.stringify(words)}\n`)
process.exit(0)

/** The model as the extensions of editors use it. */
async function openCore(model: string): Promise<Core> {
  const { default: given } = await load('core/dist/llm/llms/Ollama.js')
  if (!isConstructor<Core>(given)) throw new Error('there is no class of Ollama')
  return new given({ model, apiBase, apiKey })
}

/** The model as the command line uses it. */
async function openAdapter(): Promise<Adapter> {
  const { constructLlmApi: open } = await load('openai-adapters/dist/index.js')
  if (!isFunction<Adapter>(open)) throw new Error('there is no adapter')
  return open({ provider: 'ollama', apiBase, apiKey })
}

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  return import(pathToFileURL(join(packages, file)).href)
}

function isConstructor<Made>(value: unknown): value is new (settings: object) => Made {
  return typeof value === 'function'
}

function isFunction<Made>(value: unknown): value is (settings: object) => Made {
  return typeof value === 'function'
}
