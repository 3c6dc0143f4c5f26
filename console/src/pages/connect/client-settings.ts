import { insideShellQuotes, jsonString, shellWord, typeScriptString } from './quote-name.ts'

/** A part of a client's settings: lines for a file or a shell. docs/clients.md has the same lines. */
export interface ClientLines {
  /** The file that the lines belong to, or the kind of program. */
  readonly title: string
  readonly text: string
}

export interface ClientTarget {
  /** The address of the gateway, without a trailing slash. */
  readonly address: string
  readonly model: string
}

export const clientNames = [
  'openai-ts',
  'openai-python',
  'anthropic-ts',
  'anthropic-python',
  'claude-code',
  'codex',
  'ai-sdk',
  'google-ts',
  'gemini-cli',
  'opencode',
  'curl',
] as const
export type ClientName = (typeof clientNames)[number]

/** The names of the clients, which are the same in every language. */
export const clientTitles: Readonly<Record<ClientName, string>> = {
  'openai-ts': 'OpenAI SDK, TypeScript',
  'openai-python': 'OpenAI SDK, Python',
  'anthropic-ts': 'Anthropic SDK, TypeScript',
  'anthropic-python': 'Anthropic SDK, Python',
  'claude-code': 'Claude Code',
  codex: 'Codex',
  'ai-sdk': 'Vercel AI SDK',
  'google-ts': 'Google Gen AI SDK',
  'gemini-cli': 'Gemini CLI',
  opencode: 'opencode',
  curl: 'curl',
}

const SECRET = 'sk-hg-…'

/** The shell line that sets the variable from which the examples read the key. */
export const keyLine = `export HEADGATE_KEY=${SECRET}`

/** Whether the settings of a client contain the key itself. Other clients read it from HEADGATE_KEY. */
export function namesKeyItself(client: ClientName): boolean {
  return client === 'claude-code' || client === 'codex' || client === 'gemini-cli' || client === 'opencode'
}

const writers: Readonly<Record<ClientName, (target: ClientTarget) => readonly ClientLines[]>> = {
  'openai-ts': writeOpenAiTypeScript,
  'openai-python': writeOpenAiPython,
  'anthropic-ts': writeAnthropicTypeScript,
  'anthropic-python': writeAnthropicPython,
  'claude-code': writeClaudeCode,
  codex: writeCodex,
  'ai-sdk': writeAiSdk,
  'google-ts': writeGoogle,
  'gemini-cli': writeGeminiCli,
  opencode: writeOpencode,
  curl: writeCurl,
}

export function writeClientSettings(client: ClientName, target: ClientTarget): readonly ClientLines[] {
  return writers[client](target)
}

function writeOpenAiTypeScript({ address, model }: ClientTarget): readonly ClientLines[] {
  const text = `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${address}/v1', apiKey: process.env.HEADGATE_KEY })
const stream = await client.chat.completions.create({
  model: ${typeScriptString(model)},
  messages: [{ role: 'user', content: 'Hello!' }],
  stream: true,
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')`
  return [{ title: 'TypeScript', text }]
}

function writeOpenAiPython({ address, model }: ClientTarget): readonly ClientLines[] {
  const text = `import os
from openai import OpenAI

client = OpenAI(base_url="${address}/v1", api_key=os.environ["HEADGATE_KEY"])
reply = client.chat.completions.create(
    model=${jsonString(model)},
    messages=[{"role": "user", "content": "Hello!"}],
)
print(reply.choices[0].message.content)`
  return [{ title: 'Python', text }]
}

function writeAnthropicTypeScript({ address, model }: ClientTarget): readonly ClientLines[] {
  const text = `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: '${address}', apiKey: process.env.HEADGATE_KEY })
const message = await client.messages.create({
  model: ${typeScriptString(model)},
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello!' }],
})
console.log(message.content)`
  return [{ title: 'TypeScript', text }]
}

function writeAnthropicPython({ address, model }: ClientTarget): readonly ClientLines[] {
  const text = `import os
from anthropic import Anthropic

client = Anthropic(base_url="${address}", api_key=os.environ["HEADGATE_KEY"])
message = client.messages.create(
    model=${jsonString(model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello!"}],
)
print(message.content[0].text)`
  return [{ title: 'Python', text }]
}

function writeClaudeCode({ address, model }: ClientTarget): readonly ClientLines[] {
  const text = `export ANTHROPIC_BASE_URL=${address}
export ANTHROPIC_API_KEY=${SECRET}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${shellWord(model)}
export CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY=1
claude --model ${shellWord(model)}`
  return [{ title: 'Shell', text }]
}

function writeCodex({ address, model }: ClientTarget): readonly ClientLines[] {
  const file = `model = ${jsonString(model)}
model_provider = "headgate"

[model_providers.headgate]
name = "Headgate"
base_url = "${address}/v1"
env_key = "HEADGATE_API_KEY"
wire_api = "responses"`
  const shell = `export HEADGATE_API_KEY=${SECRET}
codex exec "Say hello"`
  return [
    { title: '~/.codex/config.toml', text: file },
    { title: 'Shell', text: shell },
  ]
}

function writeAiSdk({ address, model }: ClientTarget): readonly ClientLines[] {
  const imports = [
    "import { createOpenAICompatible } from '@ai-sdk/openai-compatible'",
    "import { generateText } from 'ai'",
  ]
  const text = `${imports.join('\n')}

const headgate = createOpenAICompatible({
  name: 'headgate', baseURL: '${address}/v1', apiKey: process.env.HEADGATE_KEY,
  includeUsage: true, supportsStructuredOutputs: true,
})
const { text } = await generateText({ model: headgate(${typeScriptString(model)}), prompt: 'Hello!' })
console.log(text)`
  return [{ title: 'TypeScript', text }]
}

function writeGoogle({ address, model }: ClientTarget): readonly ClientLines[] {
  const text = `import { GoogleGenAI } from '@google/genai'

const httpOptions = { baseUrl: '${address}' }
const client = new GoogleGenAI({ apiKey: process.env.HEADGATE_KEY, httpOptions })
const stream = await client.models.generateContentStream({ model: ${typeScriptString(model)}, contents: 'Hello!' })
for await (const chunk of stream) process.stdout.write(chunk.text ?? '')`
  return [{ title: 'TypeScript', text }]
}

function writeGeminiCli({ address, model }: ClientTarget): readonly ClientLines[] {
  const text = `export GOOGLE_GEMINI_BASE_URL=${address}
export GEMINI_API_KEY=${SECRET}
gemini --model ${shellWord(model)} --prompt "Say hello"`
  return [{ title: 'Shell', text }]
}

function writeOpencode({ address, model }: ClientTarget): readonly ClientLines[] {
  const file = `{
  "provider": {
    "headgate": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "${address}/v1", "apiKey": "${SECRET}" },
      "models": { ${jsonString(model)}: {} }
    }
  },
  "small_model": ${jsonString(`headgate/${model}`)}
}`
  return [
    { title: 'opencode.json', text: file },
    { title: 'Shell', text: `opencode --model ${shellWord(`headgate/${model}`)}` },
  ]
}

function writeCurl({ address, model }: ClientTarget): readonly ClientLines[] {
  const text = `curl -N ${address}/v1/chat/completions \\
  -H "authorization: Bearer $HEADGATE_KEY" -H 'content-type: application/json' \\
  -d '{"model":${insideShellQuotes(jsonString(model))},"stream":true,"messages":[{"role":"user","content":"Hello!"}]}'`
  return [{ title: 'Shell', text }]
}
