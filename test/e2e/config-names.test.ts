import { expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'
const targets = ['demo/demo-chat']

it('the admin API refuses an object name that JSON readers reserve', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  const provider = { provider: 'openai', api_key: 'sk-0123456789abcdef' }
  for (const answer of [
    await admin('POST', '/models', { body: { name: '__proto__', targets: 'anything' } }),
    await admin('PUT', '/models/__proto__', { body: { targets } }),
    await admin('POST', '/channels', { body: { ...provider, name: '__proto__', models: ['m'] } }),
    await admin('POST', '/channels', { body: { ...provider, name: 'a', models: ['__proto__'] } }),
    await admin('POST', '/keys', { body: { name: '__proto__' } }),
  ]) {
    expect([answer.status, answer.text]).toMatchObject([400, expect.stringContaining('name')])
  }
  expect((await admin('GET', '/config')).body).toMatchObject({ version: 0, document: {} })
})

/** JSON.stringify would leave such a member out of an object that was written as one. */
function send(url: string, path: string, body: string): Promise<Response> {
  const headers = { authorization: `Bearer ${testAdminToken}`, 'content-type': 'application/json' }
  const method = path === '/config' ? 'PUT' : 'POST'
  return fetch(`${url}/admin/v1${path}`, { method, headers, body })
}

it.each(['/config', '/config/check'])(
  'the admin API refuses a document that has such a name: %s',
  async (path) => {
    await using gateway = await startGateway(demo)
    const answer = await send(gateway.url, path, '{"document":{"models":{"__proto__":{"targets":1}}}}')
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: 'invalid_field', param: 'document.models.__proto__' } },
    ])
  },
)

it.each(['/config', '/config/check'])('a document that is nested too deep is refused: %s', async (path) => {
  await using gateway = await startGateway(demo)
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
  const answer = await send(gateway.url, path, `{"document":${deep}}`)
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'json_too_deep' } }])
})
