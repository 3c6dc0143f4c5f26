import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  emptyConversation,
  findLastRequest,
  type ModelColumn,
  noFigures,
} from '../../console/src/pages/playground/conversation.ts'
import { writeChatBody } from '../../console/src/pages/playground/write-chat-body.ts'
import { type SnippetName, writeSnippet } from '../../console/src/pages/playground/write-snippets.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { chunk, delta, done, finish } from '../support/chat-chunks.ts'
import { openScriptedUpstream, type ScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway, testAdminToken, testKey } from '../support/start-gateway.ts'

const run = promisify(execFile)
const ROOT = new URL('../..', import.meta.url)
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const tool = {
  type: 'function',
  function: {
    name: 'weather',
    description: "Tells today's weather",
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
}
const settings = {
  system: 'Answer in `one` line.\nEND',
  tools: JSON.stringify([tool]),
  temperature: '0.5',
  maxTokens: '300',
}
const assistant = { role: 'assistant', reasoning: '', error: null, cutBy: null, figures: noFigures } as const
/** A conversation with what a shell or a program could take for its own: quotes, dollars, backslashes, line ends. */
const column: ModelColumn = {
  id: '1',
  model: 'm',
  channel: '',
  turns: [
    { role: 'user', text: `It's $HOME and "\\n" and \${x} in\nGrüße`, images: [PICTURE] },
    { ...assistant, text: 'A cut', calls: [], state: 'stopped' },
    { role: 'user', text: 'The weather?', images: [] },
    {
      ...assistant,
      text: '',
      calls: [{ index: 0, id: 'call_1', name: 'weather', input: '{"city":"Kyiv"}' }],
      state: 'whole',
    },
    { role: 'tool', results: [{ callId: 'call_1', text: 'END' }] },
    { ...assistant, text: 'It rains.', calls: [], state: 'whole' },
  ],
}
const asked = findLastRequest(column, emptyConversation)
const body = writeChatBody(asked, settings)
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const answer = [delta({ content: 'Sunny.' }), finish('stop'), chunk(undefined, { usage }), done]

interface Scene extends AsyncDisposable {
  readonly gateway: StartedGateway
  readonly upstream: ScriptedUpstream
}

async function openScene(): Promise<Scene> {
  await using opened = new AsyncDisposableStack()
  const upstream = opened.use(await openScriptedUpstream(sseAnswer(answer)))
  const channel = { name: 'c', format: 'chat' as const, origin: upstream.origin, models: ['m'] }
  const gateway = opened.use(await startGateway(channelYaml(channel)))
  const own = opened.move()
  return { gateway, upstream, [Symbol.asyncDispose]: () => own.disposeAsync() }
}

/** Sends the request as the page does; gives what the provider gets of it. */
async function sendFromPage({ gateway, upstream }: Scene): Promise<unknown> {
  const before = upstream.requests.length
  const response = await fetch(`${gateway.url}/admin/v1/playground/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testAdminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ request: body }),
  })
  expect(await response.text()).toContain('Sunny.')
  return readBody(upstream, before)
}

/** Runs a snippet as it stands, and gives what it wrote and what the provider got. */
async function runSnippet({ gateway, upstream }: Scene, name: SnippetName) {
  const before = upstream.requests.length
  const text = writeSnippet(name, { address: gateway.url, column: asked, settings })
  const [program, ...options] =
    name === 'curl' ? ['bash', '-c', text] : [process.execPath, '--input-type=module', '-e', text]
  const env = { ...process.env, HEADGATE_KEY: testKey }
  const { stdout } = await run(program ?? '', options, { cwd: ROOT, env, timeout: 15_000 })
  return { written: stdout, sent: await readBody(upstream, before) }
}

async function readBody(upstream: ScriptedUpstream, index: number): Promise<unknown> {
  return JSON.parse((await upstream.request(index)).body.toString('utf8'))
}

describe('the request of the playground as code', () => {
  it('for curl and the OpenAI SDK equals what the page sends, and runs unchanged', async () => {
    await using scene = await openScene()
    const sent = await sendFromPage(scene)
    const curl = await runSnippet(scene, 'curl')
    expect(curl.written).toContain('Sunny.')
    expect(curl.sent).toEqual(sent)
    expect(await runSnippet(scene, 'openai')).toEqual({ written: 'Sunny.', sent })
  })

  it('says the same in the format of the Anthropic SDK', async () => {
    await using scene = await openScene()
    const sent = await sendFromPage(scene)
    expect(await runSnippet(scene, 'anthropic')).toEqual({ written: 'Sunny.', sent })
  })

  it('for the AI SDK equals what the page sends, and runs unchanged', async () => {
    await using scene = await openScene()
    const sent = await sendFromPage(scene)
    expect(await runSnippet(scene, 'ai-sdk')).toEqual({ written: 'Sunny.', sent })
  })

  it('works with curl and images that are longer than an argument may be', async () => {
    await using scene = await openScene()
    const picture = `data:image/png;base64,${'A'.repeat(400_000)}`
    const shown = { ...column, turns: [{ role: 'user' as const, text: 'What is it?', images: [picture] }] }
    const text = writeSnippet('curl', { address: scene.gateway.url, column: shown, settings })
    const running = run('bash', [], { env: { ...process.env, HEADGATE_KEY: testKey }, timeout: 15_000 })
    running.child.stdin?.end(text)
    expect((await running).stdout).toContain('Sunny.')
    expect(JSON.stringify(await readBody(scene.upstream, 0))).toContain(picture)
  })

  it('has the message in the input field, with its pictures, if nothing was sent yet', () => {
    const [first] = emptyConversation.columns
    const { turns } = findLastRequest(first ?? column, { draft: 'Why?', images: [PICTURE] })
    expect(turns).toEqual([{ role: 'user', text: 'Why?', images: [PICTURE] }])
  })
})
