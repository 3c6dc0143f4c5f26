import { expect, it } from 'vitest'
import { callerListSchema } from '../../src/admin/requests/caller-contract.ts'
import { trafficReportSchema } from '../../src/admin/requests/traffic-contract.ts'
import { addUser, codeOf, makeOwner, secretOf } from '../support/admin-browser.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { callModel } from '../support/call-model.ts'
import { runHeadgate } from '../support/run-headgate.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'

const yaml = `channels: [{ name: demo, provider: demo, models: [demo-chat] }]
groups: { search: {} }
`

it('requests are counted by hour and by subject with their errors and latencies, within the reach of a member', async () => {
  await using gateway = await startGateway(yaml)
  const owner = await makeOwner(gateway)
  const mia = await addUser(owner, gateway, { role: 'member', name: 'mia', groups: [{ group: 'search' }] })
  const ofMia = secretOf(await mia.ask('POST', '/keys', { name: 'of-mia', group: 'search' }))
  const other = secretOf(await owner.ask('POST', '/keys', { name: 'other' }))
  for (const secret of [ofMia, other, other]) await (await callModel(gateway, secret)).text()
  const unknown = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ofMia}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'nothing', messages: [{ role: 'user', content: 'hello' }] }),
  })
  await unknown.text()

  const admin = createAskAdmin(gateway.url)
  const read = (body: unknown) => trafficReportSchema.parse(body)
  const all = read((await admin('GET', '/traffic?by=hour&since=1999-01-01&until=1999-02-01')).body)
  expect(all).toMatchObject({ data: [], totals: { requests: 0, total_ms: { p50: null } } })
  const readByKey = async () => read((await admin('GET', '/traffic?by=key')).body)
  // Other processes write their rows within a quarter of a second.
  await expect.poll(async () => (await readByKey()).totals.requests).toBe(4)
  const byKey = await readByKey()
  expect(byKey.totals).toMatchObject({ requests: 4, refused: 1, rate_limited: 0, failed: 0 })
  expect(byKey.data.map(({ by, requests, refused }) => [by['key'], requests, refused])).toEqual(
    expect.arrayContaining([
      ['of-mia', 2, 1],
      ['other', 2, 0],
    ]),
  )
  expect(byKey.totals.total_ms.p50).toBeGreaterThan(0)
  const own = read((await mia.ask('GET', '/traffic?by=hour')).body)
  expect(own.totals).toMatchObject({ requests: 2, refused: 1 })
  expect(read((await mia.ask('GET', '/traffic?key=other')).body).totals.requests).toBe(0)

  const refused = await admin('GET', '/traffic?key=other&model=demo-chat')
  expect([refused.status, codeOf(refused)]).toEqual([400, 'invalid_field'])
  expect(codeOf(await admin('GET', '/traffic?since=2001-01-01'))).toBe('invalid_field')

  const callers = callerListSchema.parse((await admin('GET', '/callers?key=of-mia')).body)
  expect(callers).toMatchObject({
    data: [{ address: '127.0.0.1', client: 'node', user: 'mia', requests: 2, models: ['demo-chat'] }],
    looked_at: 2,
  })
  const ownCallers = callerListSchema.parse((await mia.ask('GET', '/callers')).body)
  expect(ownCallers.looked_at).toBe(2)
  expect(callerListSchema.parse((await mia.ask('GET', '/callers?key=other')).body).data).toEqual([])

  const environment = { HEADGATE_ADMIN_TOKEN: testAdminToken }
  const { output: programs } = await runHeadgate(
    ['keys', 'callers', 'of-mia', '--data', gateway.dataFolder],
    { environment },
  )
  expect(programs).toMatch(/ADDRESS +CLIENT[\s\S]*127.0.0.1 +node +mia +2/)
  const { output } = await runHeadgate(['traffic', '--by', 'model', '--data', gateway.dataFolder], {
    environment,
  })
  expect(output).toMatch(/MODEL +REQUESTS +REFUSED[\s\S]*demo-chat +3 +0[\s\S]*TOTAL +4 +1/)
})
