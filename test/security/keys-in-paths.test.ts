import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { openGateway } from '../support/open-gateway.ts'
import { streamRequest } from '../support/sample-streams.ts'
import { testKey } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'

it('a key that a client put into its base address is in no row of the request log', async () => {
  await using opened = await openGateway({ scripts: [() => ({ status: 400 })] })
  const { url } = opened.gateway
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
  const send = (path: string) => fetch(`${url}${path}`, { method: 'POST', headers, body: '{"contents":[]}' })
  for (const path of [
    `/${testKey}/v1/chat/completions`,
    `/v1beta/models/${testKey}:generateContent`,
    `/passthrough/${testKey}/x`,
    `/v1/files/${testKey}`,
  ])
    await send(path)
  await ask({ url, format: 'chat' }, streamRequest('m'))
  const askAdmin = createAskAdmin(url)
  const listRows = async () => {
    const { body } = await askAdmin('GET', '/requests?limit=20')
    return (body as { data: { request_id: string }[] }).data
  }
  await untilAsync('all rows are there', async () => (await listRows()).length === 5)
  const rows = await Promise.all(
    (await listRows()).map(async ({ request_id: id }) => (await askAdmin('GET', `/requests/${id}`)).text),
  )
  expect(
    rows.filter((text) => text.includes(testKey)).map((text) => /"path":"[^"]*"/.exec(text)?.[0]),
  ).toEqual([])
  expect(rows.join('\n')).toContain('"path":"/[redacted]/v1/chat/completions"')
})
