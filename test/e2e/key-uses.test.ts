import { expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { callModel } from '../support/call-model.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const yaml = `channels: [{ name: demo, provider: demo, models: [demo-chat] }]
keys: [{ name: ci, secret: ${testKey} }]
`

it('the last use of a key is stored, and shown after a restart', async () => {
  const folder = makeTemporaryFolder()
  const readKey = async (gateway: { readonly url: string }) =>
    (await createAskAdmin(gateway.url)('GET', '/keys/ci')).body
  {
    await using gateway = await startGateway(yaml, folder)
    expect(await readKey(gateway)).toMatchObject({ last_used_at: null })
    await (await callModel(gateway, testKey)).text()
  }
  await using gateway = await startGateway(yaml, folder)
  expect(await readKey(gateway)).toMatchObject({ last_used_at: expect.any(String) })
})
