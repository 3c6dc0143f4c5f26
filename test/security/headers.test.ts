import { request } from 'node:http'
import { expect, it } from 'vitest'
import { openGateway } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const body = JSON.stringify({ model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] })
const reply = {
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
}

/** The headers that nobody but the gateway's neighbours should say or hear. */
const hostile = {
  cookie: 'session=1',
  'x-forwarded-for': '198.51.100.7',
  'x-forwarded-host': 'other.test',
  'x-real-ip': '198.51.100.7',
  forwarded: 'for=198.51.100.7',
  via: '1.1 other',
  te: 'trailers',
  trailer: 'x-a',
  'keep-alive': 'timeout=9',
  'proxy-authorization': 'Basic eA==',
  'proxy-connection': 'keep-alive',
  'x-api-key': 'dummy-key-0123456789',
  'x-goog-api-key': 'dummy-key-0123456789',
  'api-key': 'dummy-key-0123456789',
  'openai-organization': 'org-of-the-caller',
  'openai-project': 'project-of-the-caller',
  'x-headgate-strict': '0',
  'x-stainless-lang': 'js',
  origin: 'https://other.test',
  referer: 'https://other.test/',
  'x-anything': '1',
}

function ask(url: string, headers: Record<string, string>) {
  return new Promise<Record<string, unknown>>((resolve, reject) => {
    const usual = {
      authorization: `Bearer ${testKey}`,
      'content-type': 'application/json',
      'user-agent': 'caller/1',
    }
    const call = request(`${url}/v1/chat/completions`, { method: 'POST', headers: { ...usual, ...headers } })
    call.on('error', reject)
    call.on('response', (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.headers))
    })
    call.end(body)
  })
}

it('an upstream gets only the headers on its list', async () => {
  await using open = await openGateway({ scripts: [jsonAnswer(reply)] })
  await ask(open.gateway.url, {
    ...hostile,
    connection: 'keep-alive, openai-beta, x-anything',
    'openai-beta': 'assistants=v2',
  })
  const [received] = open.upstreams[0]?.requests ?? []
  expect(Object.keys(received?.headers ?? {}).sort()).toEqual([
    'accept',
    'accept-encoding',
    'authorization',
    'connection',
    'content-length',
    'content-type',
    'host',
    'user-agent',
  ])
  expect(received?.headers).toMatchObject({ 'accept-encoding': 'identity', connection: 'keep-alive' })
  expect(JSON.stringify(received?.headers)).not.toContain(testKey)
})

it('an upstream gets a beta that the connection header does not name', async () => {
  await using open = await openGateway({ scripts: [jsonAnswer(reply)] })
  await ask(open.gateway.url, { 'openai-beta': 'assistants=v2' })
  expect(open.upstreams[0]?.requests[0]?.headers['openai-beta']).toBe('assistants=v2')
})

it.each([200, 400, 500])('a caller gets only the headers on its list, after a status %i', async (status) => {
  const headers = {
    'content-type': 'application/json',
    'set-cookie': 'session=1',
    'openai-organization': 'org-1',
    'openai-project': 'proj-1',
    'anthropic-organization-id': 'org-1',
    'cf-ray': '1',
    server: 'other',
    via: '1.1 other',
    location: 'https://other.test',
    'www-authenticate': 'Basic',
    'access-control-allow-origin': '*',
    'x-headgate-channel': 'forged',
    'x-anything': '1',
    refresh: '0; url=https://other.test',
    'alt-svc': 'h2=":443"',
  }
  await using open = await openGateway({ scripts: [{ status, headers, chunks: [JSON.stringify(reply)] }] })
  const answer = await ask(open.gateway.url, {})
  for (const name of Object.keys(headers)) {
    if (name !== 'content-type' && name !== 'x-headgate-channel') expect(answer).not.toHaveProperty(name)
  }
  expect(answer['x-headgate-channel']).not.toBe('forged')
})

it.each([
  ['x-headgate-dry-run', 'true'],
  ['x-headgate-dry-run', ''],
  ['x-headgate-strict', 'yes'],
  ['x-headgate-usage', 'tokens'],
])('a request with "%s: %s" is refused by name, and calls no provider', async (name, value) => {
  await using open = await openGateway({ scripts: [jsonAnswer(reply)] })
  const response = await fetch(`${open.gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', [name]: value },
    body,
  })
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { code: 'invalid_field', param: name, message: expect.stringContaining(`"${name}"`) } },
  ])
  expect(open.upstreams[0]?.requests).toEqual([])
})

it.each(['x-headgate-dry-run', 'x-headgate-strict'])('"%s: 0" is as no header', async (name) => {
  await using open = await openGateway({ scripts: [jsonAnswer(reply)] })
  await ask(open.gateway.url, { [name]: '0' })
  expect(open.upstreams[0]?.requests).toHaveLength(1)
})
