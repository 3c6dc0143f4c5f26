import { describe, expect, it } from 'vitest'
import { usageReportSchema } from '../../src/admin/ledger/usage-contract.ts'
import { createGate } from '../support/gate.ts'
import {
  createCalendarClock,
  keyCi,
  openBudgetGateway,
  smallBudget,
  verifyLedger,
} from '../support/open-budget-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { needsOneProcess } from '../support/topology/needs.ts'
import { untilAsync } from '../support/until.ts'

describe('budgets', () => {
  it('are listed with the spent and the remaining amount', async () => {
    const budgets = 'budgets: [{ limit_usd: 5, window: day, time_zone: Europe/Berlin }]'
    await using opened = await openBudgetGateway(
      `${keyCi(`${budgets}, end_user_budget: { window: day }`)}
budgets: [{ name: all, scope: installation, window: rolling 5h, mode: observe }]\n`,
    )
    expect(await opened.send()).toBe(200)
    const list = async () => (await opened.admin('GET', '/budgets')).body
    await expect.poll(list).toMatchObject({
      data: [
        { name: 'all', window: 'rolling 5h', limit_usd: 'unlimited', spent_usd: 0.00005 },
        {
          name: 'key:ci/day',
          scope: 'key:ci',
          window: 'day',
          time_zone: 'Europe/Berlin',
          mode: 'exact',
          limit_usd: 5,
          spent_usd: 0.00005,
          held_usd: 0,
          remaining_usd: 4.99995,
          resets_at: expect.stringMatching(/T2[23]:00:00.000Z$/),
        },
        { name: 'key:ci/end_user/day', scope: 'tag:end_user', spent_usd: null, remaining_usd: null },
      ],
    })
    const { out } = await opened.run('budgets', 'list')
    expect(out).toMatch(/^NAME +SCOPE +WINDOW +MODE +LIMIT +RAISED +SPENT +HELD +LEFT +RESETS\n/)
    expect(out).toMatch(
      /\nkey:ci\/day +key:ci +day Europe\/Berlin +exact +\$5.00 +- +\$0.00005 +\$0.00 +\$4.99995 +20/,
    )
    const shown = await opened.run('budgets', 'show', 'key:ci/end_user/day', '--value', 'bob', '--json')
    expect(JSON.parse(shown.out)).toMatchObject({ value: 'bob', spent_usd: 0 })
  })

  it('of one name are refused by it, with their IDs, and found by their IDs', async () => {
    await using opened = await openBudgetGateway(
      `${keyCi('end_user_budget: { window: day }').trimEnd().slice(0, -1)},
  { name: ci/end_user, secret: sk-other-0123456789abcdef, budgets: [{ limit_usd: 5, window: day }] }]\n`,
    )
    const show = (reference: string) => opened.run('budgets', 'show', reference, '--json')
    const { code, error } = await show('key:ci/end_user/day')
    expect(code).toBe(1)
    expect(error).toMatch(
      /Several budgets have the name "key:ci\/end_user\/day"\. Give the ID of one of them: "/,
    )
    const ids = [...error.matchAll(/"(\S+?)"[,.]/g)].map(([, id = '']) => id).slice(-2)
    const shown = await Promise.all(ids.map(show))
    expect(shown.map(({ out }) => JSON.parse(out).scope).toSorted()).toEqual([
      'key:ci/end_user',
      'tag:end_user',
    ])
  })

  it('start at zero in the middle of their window, and continue if they are removed and added again', async () => {
    needsOneProcess('a change of the admin API reaches the other processes a moment later')
    await using opened = await openBudgetGateway(keyCi(''))
    const { admin, send, run } = opened
    const add = () =>
      admin('PUT', '/budgets/all', { body: { scope: 'installation', limit_usd: 0.01, window: 'month' } })
    const spent = async () => (await admin('GET', '/budgets/all')).body
    expect(await send()).toBe(200)
    await add()
    expect(await spent()).toMatchObject({ spent_usd: 0 })
    expect(await send()).toBe(200)
    await admin('DELETE', '/budgets/all')
    expect(await send()).toBe(200)
    await add()
    await run('budgets', 'raise', 'all', '--by', '-0.0001', '--until', '30d', '--reason', 'before')
    expect(await spent()).toMatchObject({ spent_usd: 0.00005, remaining_usd: 0.00985 })
  })

  it('are raised and reset, which survives a restart and is in the audit log', async () => {
    const folder = makeTemporaryFolder()
    const first = await openBudgetGateway(smallBudget, { folder })
    expect([await first.send(), await first.send()]).toEqual([200, 429])
    const reset = await first.run('budgets', 'reset', 'key:ci/month', '--reason', 'a test')
    expect(reset.out).toMatch(/\nkey:ci\/month .*\$0.00024 +- +\$0.00 /)
    // Another process learns of the reset a moment later.
    await expect.poll(() => first.send()).toBe(200)
    expect(await first.send()).toBe(429)
    await first.run('budgets', 'raise', 'key:ci/month', '--by', '0.001', '--until', '30d')
    expect(await first.send()).toBe(200)
    // Another process may still be writing the last row.
    let before: unknown
    await expect
      .poll(async () => {
        before = (await first.admin('GET', '/budgets')).body
        return before
      })
      .toMatchObject({ data: [{ limit_usd: 0.00124, spent_usd: 0.0001 }] })
    await first[Symbol.asyncDispose]()
    await using second = await openBudgetGateway(smallBudget, { folder })
    await expect.poll(async () => (await second.admin('GET', '/budgets')).body).toEqual(before)
    expect(await second.changes()).toMatchObject([
      {
        action: 'budget.raise',
        details: ['name: key:ci/month', expect.stringMatching(/^by: 0.001 US dollars until 20/)],
      },
      {
        action: 'budget.reset',
        details: ['name: key:ci/month', 'spent until then: 0.00005 US dollars', 'reason: a test'],
      },
    ])
  })

  it('return to their own limit when a temporary raise expires', async () => {
    const [folder, clock] = [makeTemporaryFolder(), createCalendarClock('2026-11-23T09:00:00Z')]
    const yaml = `budgets: [{ name: launch, scope: installation, limit_usd: 5, window: total }]\n`
    const limit = async ({ run }: Awaited<ReturnType<typeof openBudgetGateway>>) =>
      JSON.parse((await run('budgets', 'show', 'launch', '--json')).out).limit_usd
    const first = await openBudgetGateway(yaml, { folder, clock })
    const raised = await first.run(
      'budgets',
      'raise',
      'launch',
      '--by',
      '20',
      '--until',
      '2026-12-01',
      '--reason',
      'launch week',
    )
    expect([raised.code, await limit(first)]).toEqual([0, 25])
    expect(await first.changes()).toMatchObject([
      {
        action: 'budget.raise',
        details: ['name: launch', 'by: 20 US dollars until 2026-12-01T00:00:00.000Z', 'reason: launch week'],
      },
    ])
    await first[Symbol.asyncDispose]()
    clock.set('2026-11-30T23:50:00Z')
    await using second = await openBudgetGateway(yaml, { folder, clock })
    expect(await limit(second)).toBe(25)
    clock.set('2026-12-01T00:00:00Z')
    expect(await limit(second)).toBe(5)
  })

  it.each([
    ['that is not there', ['raise', 'key:ci/moth', '--by', '1'], 'Did you mean "key:ci/month"?'],
    ['by what is no number', ['raise', 'key:ci/month', '--by', 'lots'], 'It must be US dollars'],
    ['by nothing', ['raise', 'key:ci/month', '--by', '0'], '"by_usd": must be US dollars'],
    [
      'until yesterday',
      ['raise', 'key:ci/month', '--by', '1', '--until', '2020-01-01'],
      '"until": is in the past',
    ],
    ['without values', ['values', 'key:ci/month'], 'has no values'],
    ['of a value that it does not have', ['show', 'key:ci/month', '--value', 'x'], 'has no values'],
  ])('refuse an operation %s', async (_case, argv, message) => {
    await using opened = await openBudgetGateway(smallBudget)
    const { error, code } = await opened.run('budgets', ...argv)
    expect([error, code]).toEqual([expect.stringContaining(message), 1])
  })

  it('give the spent amount back once when several operators reset them at the same time', async () => {
    await using opened = await openBudgetGateway(smallBudget)
    await opened.send()
    const budgets = async () => (await opened.admin('GET', '/budgets')).body
    // Another process learns of the spending once its row is written.
    await expect.poll(budgets).toMatchObject({ data: [{ spent_usd: 0.00005 }] })
    const path = `/budgets/${encodeURIComponent('key:ci/month')}/reset`
    await Promise.all([1, 2, 3].map(() => opened.admin('POST', path, { body: {} })))
    expect(await opened.changes()).toHaveLength(1)
    expect((await opened.admin('GET', '/budgets')).body).toMatchObject({ data: [{ remaining_usd: 0.00024 }] })
  })

  it('keep the reservation of a request in progress through a reset, and charge its final cost', async () => {
    needsOneProcess('each process shows its own holds')
    const gates = [createGate(), createGate()]
    let asked = 0
    await using opened = await openBudgetGateway(keyCi('budgets: [{ limit_usd: 1, window: month }]'), {
      pause: async () => {
        const gate = gates[asked]
        asked += 1
        await gate?.opened
      },
    })
    const budget = async () => {
      const { body } = await opened.admin('GET', '/budgets')
      const [view] = (body as { readonly data: readonly Readonly<Record<string, number>>[] }).data
      return [view?.['spent_usd'], view?.['held_usd'] === 0 ? 'nothing held' : 'held']
    }
    const sent = [opened.send(), opened.send()]
    await opened.upstream.request(1)
    gates[0]?.open()
    expect(await Promise.race(sent)).toBe(200)
    expect(await budget()).toEqual([0.00005, 'held'])
    await opened.run('budgets', 'reset', 'key:ci/month')
    expect(await budget()).toEqual([0, 'held'])
    gates[1]?.open()
    expect(await Promise.all(sent)).toEqual([200, 200])
    expect(await budget()).toEqual([0.00005, 'nothing held'])
    await opened.gateway.close(0)
    expect(await verifyLedger(opened.gateway)).toMatchObject({ rows: 2, openIntents: 0, differences: [] })
  })

  it('have a forecast from the cost of the last hours, or one for each value if each has its own budget', async () => {
    const clock = createCalendarClock('2026-11-23T09:10:00Z')
    const yaml = keyCi('budgets: [{ limit_usd: 0.001, window: day }], end_user_budget: { window: day }')
    await using opened = await openBudgetGateway(yaml, { clock })
    const path = `/budgets/${encodeURIComponent('key:ci/day')}/forecast`
    expect((await opened.admin('GET', path)).body).toMatchObject({ method: 'none', runs_out_at: null })
    for (const time of ['09:10', '10:10', '11:10']) {
      clock.set(`2026-11-23T${time}:00Z`)
      expect(await opened.send()).toBe(200)
    }
    clock.set('2026-11-23T12:00:00Z')
    const counted = async () => {
      const { body } = await opened.admin('GET', '/usage?since=2026-11-23')
      return usageReportSchema.parse(body).totals.requests
    }
    await untilAsync('all requests are in the ledger', async () => (await counted()) === 3)
    const forecast = (await opened.admin('GET', path)).body
    // 0.00015 of three hours, and 0.00005 for each of the twelve to come.
    expect(forecast).toMatchObject({
      method: 'recent-rate',
      history_since: '2026-11-23T09:00:00.000Z',
      runs_out_at: null,
      ends_with_usd: expect.closeTo(0.00075, 7),
      looks_until: '2026-11-24T00:00:00.000Z',
    })
    const unnamed = await opened.admin(
      'GET',
      `/budgets/${encodeURIComponent('key:ci/end_user/day')}/forecast`,
    )
    expect(unnamed.body).toMatchObject({ error: { code: 'missing_field', param: 'value' } })
    await opened.run('budgets', 'raise', 'key:ci/day', '--by', '-0.0005')
    const { out } = await opened.run('budgets', 'forecast', 'key:ci/day')
    expect(out).toMatch(/key:ci\/day +2026-11-23T(?:18:59|19:00):\d\d\.\d+Z +\$0.0007\d* +recent-rate/)
  })

  it('with a rolling window are reset as a whole, with one record', async () => {
    const clock = createCalendarClock('2026-11-23T09:00:00Z')
    const yaml = keyCi('budgets: [{ limit_usd: 1, window: rolling 1h }]')
    const folder = makeTemporaryFolder()
    const first = await openBudgetGateway(yaml, { folder, clock })
    for (const time of ['09:00', '09:10', '09:20']) {
      clock.set(`2026-11-23T${time}:00Z`)
      expect(await first.send()).toBe(200)
    }
    await first.run('budgets', 'reset', 'key:ci/rolling 1h')
    await first[Symbol.asyncDispose]()
    await using second = await openBudgetGateway(yaml, { folder, clock })
    expect((await second.admin('GET', '/budgets')).body).toMatchObject({ data: [{ spent_usd: 0 }] })
    expect(await second.changes()).toMatchObject([
      { details: ['name: key:ci/rolling 1h', 'spent until then: 0.00015 US dollars'] },
    ])
  })

  it('for each value of a tag are raised for every value, and show so', async () => {
    await using opened = await openBudgetGateway(keyCi('end_user_budget: { limit_usd: 1, window: day }'))
    const name = 'key:ci/end_user/day'
    const { out } = await opened.run('budgets', 'raise', name, '--by', '2', '--until', '2100-01-01')
    expect(out).toMatch(/\$3.00 +\+\$2.00 until 2100-01-01T00:00:00.000Z +each its own/)
    await opened.run('budgets', 'raise', name, '--by', '-0.5', '--reason', 'too much')
    const shown = await opened.run('budgets', 'show', name, '--value', 'ann', '--json')
    expect(JSON.parse(shown.out)).toMatchObject({
      limit_usd: 2.5,
      remaining_usd: 2.5,
      raises: [
        { by_usd: 2, until: '2100-01-01T00:00:00.000Z', reason: '', author: 'admin token' },
        { by_usd: -0.5, until: null, reason: 'too much' },
      ],
    })
  })

  it('for each value of a tag list the values that spent most', async () => {
    await using opened = await openBudgetGateway(keyCi('end_user_budget: { limit_usd: 1, window: day }'))
    for (const user of ['ann', 'bob', 'bob']) expect(await opened.send(undefined, { user })).toBe(200)
    const path = `/budgets/${encodeURIComponent('key:ci/end_user/day')}/values`
    // Another process learns of spending once its rows are written.
    await expect
      .poll(async () => (await opened.admin('GET', path)).body)
      .toMatchObject({ data: [{ spent_usd: 0.0001 }, { spent_usd: 0.00005 }] })
    const first = await opened.run('budgets', 'values', 'key:ci/end_user/day', '--limit', '1')
    expect(first.out).toMatch(/^VALUE .*\nbob +\$1.00 +\$0.0001 +\$0.00 +\$0.9999 +20.*\n$/)
    expect(first.error).toContain('1 more have spent less')
    const { body } = await opened.admin('GET', path)
    expect(body).toMatchObject({
      data: [{ value: 'bob' }, { value: 'ann', spent_usd: 0.00005, remaining_usd: 0.99995 }],
      values: 2,
    })
  })

  it('for each value of a tag are reset value by value', async () => {
    await using opened = await openBudgetGateway(keyCi('end_user_budget: { limit_usd: 1, window: day }'))
    for (const user of ['ann', 'bob']) expect(await opened.send(undefined, { user })).toBe(200)
    const unnamed = await opened.run('budgets', 'reset', 'key:ci/end_user/day')
    expect([unnamed.code, unnamed.error]).toEqual([1, expect.stringContaining('name one')])
    await opened.run('budgets', 'reset', 'key:ci/end_user/day', '--value', 'ann')
    const spent = async (value: string) =>
      JSON.parse((await opened.run('budgets', 'show', 'key:ci/end_user/day', '--value', value, '--json')).out)
        .spent_usd
    expect([await spent('ann'), await spent('bob')]).toEqual([0, 0.00005])
  })
})
