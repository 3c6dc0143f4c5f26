import { expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { startGateway } from '../support/start-gateway.ts'

it("a channel of the admin API cannot send the machine's own credentials for AWS to another host", async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
  const admin = createAskAdmin(gateway.url)
  const channel = { name: 'b', provider: 'bedrock', models: ['m'], credentials: { region: 'us-east-1' } }
  const elsewhere = { ...channel, base_url: 'https://93.184.216.34' }
  const refused = await admin('POST', '/channels', { body: elsewhere })
  expect(refused.status).toBe(400)
  expect(refused.text).toContain("the machine's own credentials for AWS go to AWS's hosts alone")
  expect((await admin('POST', '/channels', { body: channel })).status).toBe(201)
})
