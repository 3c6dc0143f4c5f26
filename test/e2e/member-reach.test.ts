import { describe, expect, it } from 'vitest'
import { budgetPageSchema } from '../../src/admin/budgets/budget-contract.ts'
import { creditListSchema } from '../../src/admin/credits/credit-contract.ts'
import { keyListSchema } from '../../src/admin/keys/key-contract.ts'
import { usageReportSchema } from '../../src/admin/ledger/usage-contract.ts'
import { requestDetailSchema, requestListSchema } from '../../src/admin/requests/request-contract.ts'
import { addUser, type Browser, codeOf, makeOwner, secretOf } from '../support/admin-browser.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { callModel } from '../support/call-model.ts'
import { type StartedGateway, startGateway } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'

const yaml = `channels: [{ name: demo, provider: demo, models: [demo-chat] }]
models: { demo-chat: { price: { input: 1, output: 1 } } }
groups:
  search: { budgets: [{ limit_usd: 10, window: month }] }
  other: { budgets: [{ limit_usd: 20, window: month }] }
users: { mia: { budgets: [{ limit_usd: 3, window: week }] } }
budgets: [{ name: all, scope: installation, limit_usd: 100, window: month }]
`

/** Mia is a member of two groups; Max manages one of them. Each has a key, and so has nobody. */
async function openOffice(gateway: StartedGateway) {
  const owner = await makeOwner(gateway)
  const groups = [{ group: 'search' }, { group: 'other' }]
  const mia = await addUser(owner, gateway, { role: 'member', name: 'mia', groups })
  const managed = [{ group: 'search', manager: true }]
  const max = await addUser(owner, gateway, { role: 'member', name: 'max', groups: managed })
  const budgets = [{ limit_usd: 1, window: 'day' }]
  const ofMia = secretOf(await mia.ask('POST', '/keys', { name: 'of-mia', group: 'search' }))
  const ofMax = secretOf(await max.ask('POST', '/keys', { name: 'of-max', budgets }))
  const ofNobody = secretOf(await owner.ask('POST', '/keys', { name: 'of-nobody', budgets }))
  return { owner, mia, max, secrets: { ofMia, ofMax, ofNobody } }
}

async function askEach(gateway: StartedGateway, secrets: Readonly<Record<string, string>>) {
  const ids: Record<string, string> = {}
  for (const [name, secret] of Object.entries(secrets)) {
    const answer = await callModel(gateway, secret)
    expect(answer.status).toBe(200)
    await answer.text()
    ids[name] = answer.headers.get('x-request-id') ?? ''
  }
  return ids
}

const keyNames = async (browser: Browser, query = '') =>
  keyListSchema.parse((await browser.ask('GET', `/keys${query}`)).body).data.map(({ name }) => name)

describe('keys', () => {
  it('of a member are created in a group of the member’s choice, and listed with the keys that the member manages', async () => {
    await using gateway = await startGateway(yaml)
    const { owner, mia, max } = await openOffice(gateway)
    expect(codeOf(await mia.ask('POST', '/keys', { name: 'unclear' }))).toBe('missing_field')
    expect((await mia.ask('POST', '/keys', { name: 'second', group: 'other' })).body).toMatchObject({
      user: 'mia',
      group: 'other',
    })
    expect(await keyNames(mia)).toEqual(['of-mia', 'second'])
    expect(await keyNames(max)).toEqual(['of-mia', 'of-max'])
    expect(await keyNames(max, '?user=mia')).toEqual(['of-mia'])
    expect(await keyNames(mia, '?user=max')).toEqual([])
    expect(await keyNames(owner, '?sort=-name&limit=2')).toEqual(['test', 'second'])
  })

  it('of a member get other models only in the groups of the member, which limit them', async () => {
    await using gateway = await startGateway(yaml)
    const { owner, mia, max } = await openOffice(gateway)
    const outside = [{ name: 'without-group' }, { name: 'of-other-group', group: 'other' }]
    for (const key of outside)
      await owner.ask('POST', '/keys', { ...key, user: 'max', models: ['demo-chat'] })
    for (const { name } of outside)
      for (const path of [`/keys/${name}`, `/keys/${name}/preview`])
        expect(
          (await max.ask(path.endsWith('preview') ? 'POST' : 'PATCH', path, { models: ['*'] })).body,
        ).toMatchObject({ error: { code: 'not_permitted', param: 'models' } })
    expect((await mia.ask('PATCH', '/keys/of-mia', { models: ['demo-chat'] })).status).toBe(200)
    expect((await max.ask('PATCH', '/keys/of-mia', { models: ['*'] })).status).toBe(200)
  })

  it('are paged, filtered and sorted on the server', async () => {
    await using gateway = await startGateway(yaml)
    const admin = createAskAdmin(gateway.url)
    for (const name of ['build', 'ci', 'deploy']) await admin('POST', '/keys', { body: { name } })
    await admin('PATCH', '/keys/ci', { body: { disabled: true } })
    const first = keyListSchema.parse((await admin('GET', '/keys?sort=name&limit=2')).body)
    const second = keyListSchema.parse(
      (await admin('GET', `/keys?sort=name&limit=2&after=${first.next_after}`)).body,
    )
    const names = [...first.data, ...second.data].map(({ name }) => name)
    expect(names).toEqual(['build', 'ci', 'deploy', 'test'])
    expect(second.next_after).toBeNull()
    const disabled = keyListSchema.parse((await admin('GET', '/keys?status=disabled')).body)
    expect(disabled.data.map(({ name }) => name)).toEqual(['ci'])
    const mismatched = await admin('GET', `/keys?sort=created&after=${first.next_after}`)
    expect(mismatched.body).toMatchObject({ error: { code: 'invalid_field', param: 'after' } })
    expect((await admin('GET', '/keys?limit=1001')).status).toBe(400)
  })
})

describe('usage and requests', () => {
  it('are the member’s own, for a manager those of the group, and for an owner all', async () => {
    await using gateway = await startGateway(yaml)
    const { owner, mia, max, secrets } = await openOffice(gateway)
    const ids = await askEach(gateway, secrets)
    const usageOf = async (browser: Browser) =>
      usageReportSchema.parse((await browser.ask('GET', '/usage?by=key&order=name')).body)
    const requestsOf = async (browser: Browser) =>
      requestListSchema.parse((await browser.ask('GET', '/requests')).body).data
    await untilAsync('the rows are written', async () => {
      const { totals } = await usageOf(owner)
      return totals.requests === 3 && (await requestsOf(owner)).length === 3
    })
    const keysIn = async (browser: Browser) => {
      const report = await usageOf(browser)
      const requests = await requestsOf(browser)
      expect(report.totals.requests).toBe(requests.length)
      expect(new Set(report.data.map(({ by }) => by['key']))).toEqual(new Set(requests.map(({ key }) => key)))
      return requests.map(({ key }) => key)
    }
    expect(await keysIn(mia)).toEqual(['of-mia'])
    expect(await keysIn(max)).toEqual(['of-max', 'of-mia'])
    // Rows of several processes have no order within a millisecond.
    expect((await keysIn(owner)).toSorted()).toEqual(['of-max', 'of-mia', 'of-nobody'])
    expect(requestListSchema.parse((await owner.ask('GET', '/requests?user=mia')).body).data).toHaveLength(1)

    const own = requestDetailSchema.parse((await mia.ask('GET', `/requests/${ids['ofMia']}`)).body)
    expect(own).toMatchObject({ user: 'mia', candidates: [], attempts: [{ credential: null }] })
    expect(codeOf(await mia.ask('GET', `/requests/${ids['ofMax']}`))).toBe('request_not_found')
    const all = requestDetailSchema.parse((await owner.ask('GET', `/requests/${ids['ofMia']}`)).body)
    expect(all.candidates).toHaveLength(1)
  })
})

describe('budgets and credits', () => {
  const budgetNames = async (browser: Browser, query = '') =>
    budgetPageSchema.parse((await browser.ask('GET', `/budgets${query}`)).body).data.map(({ name }) => name)

  it('are those that limit the member’s own keys; a manager can raise only those of the group’s keys', async () => {
    await using gateway = await startGateway(yaml)
    const { owner, mia, max } = await openOffice(gateway)
    expect(await budgetNames(mia)).toEqual(['group:other/month', 'group:search/month', 'user:mia/week'])
    expect(await budgetNames(max)).toEqual(['group:search/month', 'key:of-max/day'])
    expect(await budgetNames(owner, '?scope=key')).toEqual(['key:of-max/day', 'key:of-nobody/day'])
    expect(await budgetNames(owner, '?q=GROUP&sort=-name')).toEqual([
      'group:search/month',
      'group:other/month',
    ])

    const raise = { by_usd: 1, until: '1d' }
    const path = (name: string) => `/budgets/${encodeURIComponent(name)}`
    expect(codeOf(await mia.ask('GET', path('all')))).toBe('config_object_not_found')
    expect((await mia.ask('GET', path('user:mia/week'))).status).toBe(200)
    expect(codeOf(await mia.ask('POST', `${path('user:mia/week')}/raise`, raise))).toBe(
      'config_object_not_found',
    )
    expect((await max.ask('POST', `${path('key:of-max/day')}/raise`, raise)).body).toMatchObject({
      limit_usd: 2,
    })
    for (const name of ['group:search/month', 'key:of-nobody/day'])
      expect(codeOf(await max.ask('POST', `${path(name)}/reset`, {}))).toBe('config_object_not_found')
  })

  it('are paged, and sorted by usage on request', async () => {
    await using gateway = await startGateway(yaml)
    const { owner, secrets } = await openOffice(gateway)
    await askEach(gateway, { ofMax: secrets.ofMax })
    const spentOf = async () => JSON.stringify((await owner.ask('GET', '/budgets?q=key:of-max')).body)
    await expect.poll(spentOf).not.toContain('"spent_usd":0,')
    const names: string[] = []
    for (let after = ''; ; ) {
      const { body } = await owner.ask('GET', `/budgets?sort=-used&limit=2${after}`)
      const page = budgetPageSchema.parse(body)
      names.push(...page.data.map(({ name }) => name))
      if (page.next_after === null) break
      after = `&after=${page.next_after}`
    }
    expect(names).toHaveLength(6)
    expect(names.slice(0, 3)).toEqual(['key:of-max/day', 'group:search/month', 'all'])
  })

  it('include the credits of the member, of the member’s keys and of the member’s groups', async () => {
    await using gateway = await startGateway(yaml)
    const { owner, mia } = await openOffice(gateway)
    for (const whose of [{ key: 'of-mia' }, { key: 'of-max' }, { user: 'mia' }, { group: 'other' }])
      await owner.ask('POST', '/credits', { ...whose, amount_usd: 5, reason: 'a test' })
    const owners = async (query = '') =>
      creditListSchema.parse((await mia.ask('GET', `/credits${query}`)).body).data.map((each) => each.owner)
    expect(await owners()).toEqual(['group:other', 'key:of-mia', 'user:mia'])
    expect(await owners('?key=of-max')).toEqual([])
    expect(codeOf(await mia.ask('POST', '/credits', { user: 'mia', amount_usd: 5, reason: 'more' }))).toBe(
      'not_permitted',
    )
  })
})

describe('an explanation of a problem', () => {
  it('with a requested model names the model to a member, but does not reveal whether other keys have it', async () => {
    await using gateway = await startGateway(yaml)
    const { owner, mia, secrets } = await openOffice(gateway)
    const answer = await callModel(gateway, secrets.ofMia, 'gpt-9')
    expect(answer.status).toBe(404)
    const id = answer.headers.get('x-request-id') ?? ''
    const causeOf = async (browser: Browser) =>
      requestDetailSchema.parse((await browser.ask('GET', `/requests/${id}`)).body).cause
    await untilAsync('the request is stored', async () => {
      const found = await mia.ask('GET', `/requests/${id}`)
      return found.status === 200
    })
    expect(await causeOf(mia)).toBe('the key may use no model "gpt-9"')
    expect(await causeOf(owner)).toBe('no channel and no alias has the model "gpt-9"')
  })

  it('with a key of a member has no channels and no advice for operators', async () => {
    const unpriced = `channels:
  - { name: demo, provider: demo, models: [demo-chat] }
  - { name: paid, provider: openai, api_key: sk-upstream-0123456789, models: { demo-chat: 'big (beta; eu), fast' } }
groups: { search: { models: [demo-chat], budgets: [{ limit_usd: 10, window: month }] } }
`
    await using gateway = await startGateway(unpriced)
    const owner = await makeOwner(gateway)
    const mia = await addUser(owner, gateway, { role: 'member', name: 'mia', groups: [{ group: 'search' }] })
    const made = await mia.ask('POST', '/keys', { name: 'of-mia', models: ['demo-chat', 'gone'] })
    const own = [
      'it is granted "gone", which no channel serves; ask an owner or an admin about it',
      'it has a limit in money, so demo-chat is refused to it: no price is known; ask an owner or an admin about it',
    ]
    expect(made.body).toMatchObject({ warnings: own })
    const { data } = keyListSchema.parse((await mia.ask('GET', '/keys')).body)
    expect(data.map(({ warnings }) => warnings)).toEqual([own])
    const shown = keyListSchema.parse((await owner.ask('GET', '/keys?q=of-mia')).body)
    expect(shown.data[0]?.warnings.join()).toContain(
      'demo-chat (paid/big (beta; eu), fast) is refused to it: no price is known; give each a "price"',
    )
  })
})
