import { describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { startGateway } from '../support/start-gateway.ts'

const demo = 'channels: [{ name: demo, provider: demo, models: [demo-chat, demo-embed] }]\n'

/** The view of a caller: the names that it may use, and the status of a request for one. */
async function use(url: string, secret: string, model = 'demo-chat') {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const listed = await fetch(`${url}/v1/models`, { headers })
  const { data } = (await listed.json()) as { readonly data: readonly { readonly id: string }[] }
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] })
  const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
  await answer.text()
  return { names: data.map(({ id }) => id), status: answer.status }
}

describe('a key of a group', () => {
  const secret = 'a-secret-of-the-file'
  const key = `keys: [{ name: ci, secret: ${secret}, group: search, models: ["demo-*"] }]\n`

  it('may use only the models that both it and the group may use', async () => {
    await using gateway = await startGateway(`${demo}${key}groups: { search: { models: ["*-embed"] } }\n`)
    expect(await use(gateway.url, secret)).toEqual({ names: ['demo-embed'], status: 404 })
  })

  it('gets the changes of its group through the admin API with the next request', async () => {
    await using gateway = await startGateway(demo)
    const admin = createAskAdmin(gateway.url)
    const refused = await admin('POST', '/keys', { body: { name: 'made', group: 'search' } })
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('there is no group \\"search\\"'),
    ])
    const groups = { search: { models: ['demo-chat'], key_defaults: { expires: '90d', rate: { rpm: 60 } } } }
    expect(await admin('PUT', '/config', { body: { document: { groups } } })).toMatchObject({ status: 200 })
    const { status, body } = await admin('POST', '/keys', { body: { name: 'made', group: 'search' } })
    expect([status, body]).toMatchObject([201, { rate: { rpm: 60 }, expires_at: expect.any(String) }])
    const made = String((body as { readonly secret: string }).secret)
    expect(await use(gateway.url, made)).toEqual({ names: ['demo-chat'], status: 200 })
    const check = await admin('POST', '/config/check', { body: { document: {} } })
    expect(check.body).toMatchObject({
      ok: false,
      problems: [{ path: 'groups.search', fact: { code: 'group_has_keys' } }],
    })
    expect(await admin('PUT', '/config', { body: { document: {} } })).toMatchObject({ status: 409 })
    const other = { groups: { search: { models: ['demo-embed'] } } }
    expect(await admin('PUT', '/config', { body: { document: other } })).toMatchObject({ status: 200 })
    expect(await use(gateway.url, made)).toEqual({ names: ['demo-embed'], status: 404 })
    // Another process may still be writing the time.
    const readKey = async () => (await admin('GET', '/keys/made')).body
    await expect.poll(readKey).toMatchObject({ last_used_at: expect.any(String) })
  })
})

it('a key with a grant that no channel serves shows a warning', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  const { body } = await admin('POST', '/keys', {
    body: { name: 'made', models: ['qwen*', 'gpt-4o', 'demo-*'] },
  })
  expect(body).toMatchObject({
    warnings: [
      'it is granted "gpt-4o", which no channel serves',
      'it is granted "qwen*", which no served model matches',
    ],
    warning_facts: [
      { type: 'unserved_model', model: 'gpt-4o' },
      { type: 'unmatched_pattern', pattern: 'qwen*' },
    ],
  })
})

it('a key with a grant that its group lacks shows a warning', async () => {
  await using gateway = await startGateway(`${demo}groups: { search: { models: [demo-embed] } }\n`)
  const admin = createAskAdmin(gateway.url)
  const { body } = await admin('POST', '/keys', {
    body: { name: 'made', group: 'search', models: ['demo-chat', 'demo-embed'] },
  })
  expect(body).toMatchObject({
    warnings: ['it is granted "demo-chat", which its group "search" is not granted'],
  })
})

it('a rotated key accepts both secrets until the overlap ends', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  const secretOf = ({ body }: { readonly body: unknown }) =>
    String((body as { readonly secret: string }).secret)
  const made = secretOf(await admin('POST', '/keys', { body: { name: 'ci' } }))
  const rotated = secretOf(await admin('POST', '/keys/ci/rotate', { body: { overlap: '24h' } }))
  expect((await use(gateway.url, made)).status).toBe(200)
  expect((await use(gateway.url, rotated)).status).toBe(200)
  const last = secretOf(await admin('POST', '/keys/ci/rotate', { body: { overlap: '0s' } }))
  const headers = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } })
  const statuses = await Promise.all(
    [made, rotated, last].map(
      async (each) => (await fetch(`${gateway.url}/v1/models`, headers(each))).status,
    ),
  )
  expect(statuses).toEqual([401, 401, 200])
})
