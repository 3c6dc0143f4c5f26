import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { launcher } from '../support/program/launcher.ts'
import { openScriptedUpstream, type ScriptedAnswer } from '../support/scripted-upstream.ts'
import { until } from '../support/until.ts'
import { canaries, findCanaries } from './canaries.ts'

/** Echoes what the upstream got in every way in which it can be quoted. */
function echo(headers: IncomingHttpHeaders): string {
  const values = Object.values(headers).flat().join(' | ')
  const secrets = Object.values(headers).flatMap((value) => String(value).replace(/^Bearer /, ''))
  const forms = secrets.flatMap((secret) => {
    const bytes = Buffer.from(secret)
    return [
      secret,
      encodeURIComponent(secret),
      secret.replaceAll('/', '\\/'),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      Buffer.from(`Bearer ${secret}`).toString('base64'),
    ]
  })
  return `Incorrect API key provided: ${values}; ${forms.join(' ; ')}`
}

const statuses = [400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 529]
const kinds = [
  ...statuses.map(String),
  'text',
  'web-page',
  'broken',
  'stream',
  'late-stream',
  'header',
] as const

function answer(kind: string, headers: IncomingHttpHeaders): ScriptedAnswer {
  const words = echo(headers)
  const error = { type: 'invalid_request_error', message: words, code: words, param: words }
  const body = JSON.stringify({ type: 'error', error, request_id: words })
  const shown = {
    'content-type': 'application/json',
    'x-request-id': words.slice(0, 800),
    'openai-organization': words.slice(0, 800),
    'anthropic-organization-id': words.slice(0, 800),
    'set-cookie': `key=${words.slice(0, 800)}`,
    'retry-after': '0',
    'anthropic-ratelimit-requests-remaining': words.slice(0, 800),
  }
  const stream = { ...shown, 'content-type': 'text/event-stream' }
  const content = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'Hi' } }] })}\n\n`
  switch (kind) {
    case 'text':
      return { status: 401, headers: { ...shown, 'content-type': 'text/plain' }, chunks: [words] }
    case 'web-page':
      return { status: 502, headers: { ...shown, 'content-type': 'text/html' }, chunks: [`<p>${words}</p>`] }
    case 'broken':
      return { status: 200, headers: shown, chunks: [`{"error": ${words}`] }
    case 'stream':
      return { headers: stream, chunks: [`event: error\ndata: ${body}\n\n`] }
    case 'late-stream':
      return { headers: stream, chunks: [content, `event: error\ndata: ${body}\n\n`] }
    case 'header':
      return {
        headers: shown,
        chunks: [
          '{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}',
        ],
      }
    default:
      return { status: Number(kind), headers: shown, chunks: [body] }
  }
}

function configure(origin: string, folder: string): string {
  const channel = (name: string, provider: string, keys: readonly string[]) => `  - name: ${name}
    provider: ${provider}
    base_url: ${origin}${provider.startsWith('openai') ? '/v1' : ''}
    allow_private: true
    api_keys: ${JSON.stringify(keys)}
    headers: { x-extra-secret: ${JSON.stringify(canaries.channelHeader)} }
    models: [${name}-model]
    breaker: off
`
  return `listen: 127.0.0.1:0
data: ${join(folder, 'data')}
log: { level: trace }
retry: { attempts: 2, same_target: 0 }
keys:
  - { name: first, secret: ${JSON.stringify(canaries.callerKey)} }
  - { name: second, secret: ${JSON.stringify(canaries.otherCallerKey)}, disabled: true }
channels:
${channel('chat', 'openai-compatible', [canaries.firstChannelKey, canaries.secondChannelKey])}${channel('messages', 'anthropic-compatible', [canaries.otherFormatKey])}`
}

interface Started {
  readonly process: ChildProcess
  readonly said: () => string
}

function start(config: string, command = 'serve'): Started {
  let said = ''
  const child = spawn(process.execPath, [launcher, command, '--config', config], {
    env: {
      ...process.env,
      HEADGATE_ADMIN_TOKEN: canaries.adminToken,
      HEADGATE_SECRET: canaries.gatewaySecret,
    },
  })
  child.stdout.on('data', (part) => {
    said += part
  })
  child.stderr.on('data', (part) => {
    said += part
  })
  return { process: child, said: () => said }
}

/** All that an answer says, headers included. */
async function ask(url: string, options: RequestInit): Promise<string> {
  const response = await fetch(url, options)
  const head = JSON.stringify([...response.headers])
  try {
    return `${response.status} ${head} ${await response.text()}`
  } catch {
    return `${response.status} ${head}`
  }
}

const paths = ['/v1/chat/completions', '/v1/messages']

async function askEverything(url: string): Promise<readonly string[]> {
  const answers: string[] = []
  const asKey = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
  for (const path of paths) {
    for (const model of ['chat-model', 'messages-model']) {
      for (const kind of kinds) {
        for (const stream of [false, true]) {
          const messages = [{ role: 'user', content: `kind=${kind}` }]
          const body = JSON.stringify({ model, stream, max_tokens: 5, messages })
          answers.push(await ask(url + path, { method: 'POST', headers: asKey(canaries.callerKey), body }))
        }
      }
    }
    for (const key of [canaries.otherCallerKey, `${canaries.callerKey}x`, canaries.adminToken]) {
      answers.push(await ask(url + path, { method: 'POST', headers: asKey(key), body: '{}' }))
    }
  }
  const admin = { headers: asKey(canaries.adminToken) }
  for (const path of [
    '/admin/v1/keys',
    '/admin/v1/openapi.json',
    '/metrics',
    '/healthz',
    '/readyz',
    '/nowhere',
  ]) {
    answers.push(await ask(url + path, admin))
  }
  answers.push(await ask(`${url}/v1/models`, { headers: asKey(canaries.callerKey) }))
  answers.push(await ask(`${url}/v1/models?key=${encodeURIComponent(canaries.callerKey)}`, {}))
  answers.push(await ask(`${url}/admin/v1/keys`, { headers: asKey(canaries.firstChannelKey) }))
  return answers
}

function readFolder(folder: string): readonly (readonly [path: string, text: string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, readFileSync(path).toString('latin1')])
}

it('no secret from any place appears in answers, log, metrics, admin API or data folder', {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-canary-'))
  let echoed = 0
  await using upstream = await openScriptedUpstream(({ body, headers }) => {
    if (findCanaries(JSON.stringify(headers)).length > 0) echoed += 1
    return answer(/kind=([\w-]+)/.exec(body.toString())?.[1] ?? '500', headers)
  })
  const config = join(folder, 'headgate.yaml')
  writeFileSync(config, configure(upstream.origin, folder))
  const gateway = start(config)
  try {
    await until('the gateway listens', () => /http:\/\/127\.0\.0\.1:\d+/.test(gateway.said()))
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(gateway.said())?.[0] ?? ''
    const answers = await askEverything(url)
    gateway.process.kill('SIGTERM')
    await once(gateway.process, 'exit')
    const spoilt = join(folder, 'spoilt.yaml')
    writeFileSync(
      spoilt,
      configure(upstream.origin, folder).replace('models: [chat-model]', 'models: 5\n    modells: 1'),
    )
    const check = start(spoilt, 'check')
    await once(check.process, 'exit')

    // The upstream did get its keys and did say them back, and the check did fail: there was something to find.
    expect(echoed).toBeGreaterThan(kinds.length * 4)
    expect(check.said()).toContain('modells')
    expect(answers.filter((text) => text.includes('[redacted]')).length).toBeGreaterThan(20)
    expect(gateway.said()).toContain('[redacted]')
    expect(
      answers.flatMap((text) => findCanaries(text).map((hit) => `${hit}: ${text.slice(0, 200)}`)),
    ).toEqual([])
    expect(findCanaries(gateway.said())).toEqual([])
    expect(findCanaries(check.said())).toEqual([])
    for (const [path, text] of readFolder(join(folder, 'data'))) {
      expect({ path, hits: findCanaries(text) }).toEqual({ path, hits: [] })
    }
    for (const text of answers)
      expect(text).not.toMatch(/set-cookie|openai-organization|anthropic-organization-id/i)
  } finally {
    gateway.process.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})
