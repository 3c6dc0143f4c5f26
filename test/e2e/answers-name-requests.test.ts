import { describe, expect, it } from 'vitest'
import { fieldsOf } from '../support/judged.ts'
import { type StartedGateway, startGateway, testAdminToken, testKey } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'

const bearer = { authorization: `Bearer ${testKey}` }
const messages = { 'x-api-key': testKey, 'anthropic-version': '2023-06-01' }
const admin = { authorization: `Bearer ${testAdminToken}` }

async function rowOf({ url }: StartedGateway, requestId: string) {
  const answer = await fetch(`${url}/admin/v1/requests/${requestId}`, { headers: admin })
  return answer.status === 200 ? fieldsOf(await answer.json()) : undefined
}

describe('an answer', () => {
  it.each<[string, Readonly<Record<string, string>>, number]>([
    ['/v1/models', bearer, 200],
    ['/v1/models', messages, 200],
    ['/v1/models/demo-chat', bearer, 200],
    ['/v1/models/demo-chat', messages, 200],
    ['/v1/models/unknown', bearer, 404],
    ['/v1beta/models', { 'x-goog-api-key': testKey }, 200],
    ['/v1/key', bearer, 200],
    ['/api/tags', bearer, 200],
  ])('names its request, whose row has its bytes: %s %j', async (path, headers, status) => {
    await using gateway = await startGateway(demo)
    const answer = await fetch(gateway.url + path, { headers })
    const bytes = Buffer.byteLength(await answer.text())
    expect(answer.status).toBe(status)
    const requestId = answer.headers.get('x-request-id') ?? ''
    expect(requestId).toMatch(/^req_/)
    expect(answer.headers.get('request-id')).toBe(headers === messages ? requestId : null)
    await untilAsync('the request has a row', async () => (await rowOf(gateway, requestId)) !== undefined)
    expect(await rowOf(gateway, requestId)).toMatchObject({ path, status, bytes_out: bytes })
  })
})
