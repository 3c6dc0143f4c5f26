import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fieldsOf } from '../../support/judged.ts'
import { createWav } from '../../support/media/sound.ts'
import { untilAsync } from '../../support/until.ts'
import { documentedVariables } from '../documented-settings.ts'
import { runCommand } from '../run-command.ts'
import type { ProgramCase } from './program-case.ts'
import type { ProgramGateway } from './program-gateway.ts'

const requirements = resolve(import.meta.dirname, '..', 'open-webui', 'requirements.txt')
const packages = resolve(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'open-webui')
/** The first start makes the database. */
const STARTS_WITHIN_MS = 300_000

export interface OpenWebUi extends AsyncDisposable {
  readonly cases: readonly ProgramCase[]
}

/** Open WebUI with one connection to the gateway for each thing that it can ask; `python3` and `ffmpeg` are needed. */
export async function openOpenWebUi(gateway: ProgramGateway): Promise<OpenWebUi> {
  await install()
  const folder = mkdtempSync(join(tmpdir(), 'headgate-open-webui-'))
  const port = await findPort()
  const child = spawn(
    join(packages, 'bin', 'open-webui'),
    ['serve', '--host', '127.0.0.1', '--port', String(port)],
    {
      cwd: folder,
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], HOME: folder, DATA_DIR: folder, ...settingsFor(gateway) },
    },
  )
  const url = `http://127.0.0.1:${port}`
  const close = async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const isServing = () =>
      fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      )
    await untilAsync('Open WebUI serves', isServing, { deadlineMs: STARTS_WITHIN_MS })
    return { cases: await listCases(url, gateway), [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

function settingsFor({ url, key }: ProgramGateway): Readonly<Record<string, string>> {
  const job = { format: 'chat', gatewayUrl: url, key, model: 'demo-chat' } as const
  const documented = documentedVariables('Open WebUI', job)
  return {
    WEBUI_AUTH: 'False',
    WEBUI_SECRET_KEY: key,
    // Nothing is downloaded, and nobody else is asked.
    OFFLINE_MODE: 'true',
    HF_HUB_OFFLINE: '1',
    ANONYMIZED_TELEMETRY: 'false',
    ...documented,
  }
}

type Call = (path: string, body?: object | FormData) => Promise<string>

async function listCases(url: string, gateway: ProgramGateway): Promise<readonly ProgramCase[]> {
  const signIn = await send(`${url}/api/v1/auths/signin`, {}, { email: '', password: '' })
  const { token } = fieldsOf(JSON.parse(signIn))
  const call: Call = (path, body) => send(url + path, { authorization: `Bearer ${token}` }, body)
  const chat = (stream: boolean, model = 'demo-chat') =>
    call('/api/chat/completions', { model, stream, messages: [{ role: 'user', content: 'Hello!' }] })
  const one = (scenario: string, asks: readonly string[], wanted: string, ask: () => Promise<string>) => ({
    scenario,
    asks,
    run: async () => ({ wanted, found: await ask() }),
  })
  const sound = new FormData()
  sound.set('file', new Blob([new Uint8Array(createWav(1))], { type: 'audio/wav' }), 'a.wav')
  return [
    one('models', ['GET /v1/models'], '"demo-embed"', () => call('/api/models?refresh=true')),
    one('chat', ['POST /v1/chat/completions'], 'Hello from', () => chat(false)),
    one('stream', ['POST /v1/chat/completions'], '[DONE]', () => chat(true)),
    one('image', ['POST /v1/images/generations'], 'image/png', () =>
      call('/api/v1/images/generations', { prompt: 'A gate.' }),
    ),
    one('speech', ['POST /v1/audio/speech'], 'ID3', () =>
      call('/api/v1/audio/speech', { model: 'demo-chat', input: 'Hello there.', voice: 'alloy' }),
    ),
    one('transcript', ['POST /v1/audio/transcriptions'], 'recording', () =>
      call('/api/v1/audio/transcriptions', sound),
    ),
    one('vectors, ranking', ['POST /v1/embeddings', 'POST /v1/rerank'], 'Water flows', () => search(call)),
    one('ollama', ['GET /api/tags', 'POST /api/chat'], '[DONE]', async () => {
      await call('/ollama/config/update', ollamaSettings(gateway))
      await call('/api/models?refresh=true')
      return chat(true, 'ollama.demo-chat')
    }),
  ]
}

function ollamaSettings({ url, key }: ProgramGateway): object {
  return {
    ENABLE_OLLAMA_API: true,
    OLLAMA_BASE_URLS: [url],
    OLLAMA_API_CONFIGS: { 0: { enable: true, key, prefix_id: 'ollama' } },
  }
}

/** Stores a document, and searches it. */
async function search(call: Call): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob(['Water flows through the gate at noon.'], { type: 'text/plain' }), 'a.txt')
  const { id } = fieldsOf(
    JSON.parse(await call('/api/v1/files/?process=true&process_in_background=false', form)),
  )
  const query = { collection_name: `file-${id}`, query: 'When does water flow?', k: 3, hybrid: true }
  return call('/api/v1/retrieval/query/doc', query)
}

async function send(url: string, headers: Record<string, string>, body?: object | FormData): Promise<string> {
  const isForm = body instanceof FormData
  const answer = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    body: isForm ? body : body === undefined ? null : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 300)}`)
  return text
}

/** Installs it from PyPI where that was not done yet. Its packages are several gigabytes, and `pip` alone takes hours. */
async function install(): Promise<void> {
  const [python, uv] = [join(packages, 'bin', 'python'), join(packages, 'bin', 'uv')]
  const script =
    '[ -x "$0/bin/open-webui" ] || { python3 -m venv "$0" && "$1" -m pip install -q uv==0.13.9 && "$2" pip install -q --python "$1" -r "$3"; }'
  const { exitCode, stderr } = await runCommand({
    file: 'sh',
    args: ['-c', script, packages, python, uv, requirements],
    folder: tmpdir(),
    environment: Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    timeoutMs: 3_600_000,
  })
  if (exitCode !== 0) throw new Error(`Open WebUI cannot be installed: ${stderr.slice(-1_000)}`)
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('there is no port')
  return address.port
}
