import { describe, expect, it } from 'vitest'
import {
  createCalendarClock,
  keyCi,
  openBudgetGateway,
  smallBudget,
  verifyLedger,
} from '../support/open-budget-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

describe('credit', () => {
  it('limits what a key can spend, stays with the key when it is renamed, and survives a restart', async () => {
    needsOneProcess('another process learns of a grant a moment later')
    const folder = makeTemporaryFolder()
    const first = await openBudgetGateway(smallBudget, { folder })
    const made = (await first.admin('POST', '/keys', { body: { name: 'made' } })).body as {
      readonly secret: string
    }
    expect(await first.send(made.secret)).toBe(200)
    const pilot = ['--usd', '0.00024', '--reason', 'a pilot']
    const granted = await first.run('credits', 'grant', '--key', 'made', ...pilot)
    expect(granted.out).toMatch(/\nkey:made +\$0.00024 +\$0.00 +- +1\n/)
    expect([await first.send(made.secret), await first.send(made.secret)]).toEqual([200, 429])
    await first.admin('PATCH', '/keys/made', { body: { name: 'renamed' } })
    expect(await first.send(made.secret)).toBe(429)
    await first[Symbol.asyncDispose]()
    await using second = await openBudgetGateway(smallBudget, { folder })
    expect(await second.send(made.secret)).toBe(429)
    const more = ['--usd', '1', '--reason', 'more', '--expires', '90d']
    await second.run('credits', 'grant', '--key', 'renamed', ...more)
    expect(await second.send(made.secret)).toBe(200)
    const { out } = await second.run('credits', 'list', '--key', 'renamed')
    expect(out).toMatch(
      /^OWNER .*\nkey:renamed .*\n\nWHEN .*\n.*key:renamed +\$0.00024 .*a pilot\n.*\$1.00 .*more\n$/,
    )
    expect(await second.changes()).toHaveLength(2)
  })

  it('that is revoked is gone with the next request', async () => {
    needsOneProcess('another process learns of a grant a moment later')
    await using opened = await openBudgetGateway(keyCi('user: alice'))
    await opened.run('credits', 'grant', '--user', 'alice', '--usd', '1', '--reason', 'a pilot')
    expect(await opened.send()).toBe(200)
    await opened.run('credits', 'grant', '--user', 'alice', '--usd', '-1', '--reason', 'over')
    expect(await opened.send()).toBe(429)
    expect((await opened.admin('GET', '/credits?user=alice')).body).toMatchObject({
      data: [{ owner: 'user:alice', remaining_usd: -0.00005, grants: [{}, {}] }],
    })
  })

  it('expires at its date, before and after a restart', async () => {
    const [folder, clock] = [makeTemporaryFolder(), createCalendarClock('2026-11-23T09:00:00Z')]
    const first = await openBudgetGateway(keyCi('user: alice'), { folder, clock })
    const terms = ['--usd', '1', '--reason', 'a pilot', '--expires', '2026-12-01']
    await first.run('credits', 'grant', '--user', 'alice', ...terms)
    expect(await first.send()).toBe(200)
    clock.set('2026-12-01T00:00:00Z')
    expect(await first.send()).toBe(429)
    const left = async ({ admin }: typeof first) => (await admin('GET', '/credits?user=alice')).body
    const lapsed = { data: [{ remaining_usd: 0, lapsed_usd: 0.99995, next_lapse: null }] }
    expect(await left(first)).toMatchObject(lapsed)
    await first[Symbol.asyncDispose]()
    await using second = await openBudgetGateway(keyCi('user: alice'), { folder, clock })
    expect([await second.send(), await left(second)]).toEqual([429, expect.objectContaining({})])
    expect(await left(second)).toMatchObject(lapsed)
    await second.gateway.close(0)
    expect(await verifyLedger(second.gateway)).toMatchObject({ rows: 1, differences: [] })
  })

  it('stays within its limit if concurrent grants each fit alone', async () => {
    needsOneProcess('each process knows the grants that it writes')
    await using opened = await openBudgetGateway(keyCi('user: alice'))
    const body = { user: 'alice', amount_usd: 5_000_000, reason: 'a year' }
    const answers = await Promise.all([1, 2].map(() => opened.admin('POST', '/credits', { body })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400])
    expect(
      (await opened.admin('POST', '/credits', { body: { ...body, amount_usd: 4_000_000 } })).status,
    ).toBe(201)
  })

  it('is listed for one owner or for all, and for no two owners at once', async () => {
    await using opened = await openBudgetGateway(keyCi('user: alice'))
    const listed = await opened.admin('GET', '/credits?key=ci&user=alice')
    expect(listed).toMatchObject({ status: 400, body: { error: { code: 'invalid_field', param: 'key' } } })
    const { error, code } = await opened.run('credits', 'list', '--key', 'ci', '--user', 'alice')
    expect([error, code]).toEqual([expect.stringContaining('at most one of key, user and group'), 1])
  })

  it('that was never granted is no limit, and says so', async () => {
    await using opened = await openBudgetGateway(keyCi('user: alice'))
    const all = await opened.run('credits', 'list')
    const ofOne = await opened.run('credits', 'list', '--user', 'alice')
    expect([all, ofOne]).toMatchObject([
      { out: '', error: expect.stringContaining('Nobody was ever granted credit') },
      { out: '', error: expect.stringContaining('user:alice was never granted credit') },
    ])
    expect(await opened.send()).toBe(200)
  })

  it.each([
    ['without an owner', ['--usd', '1', '--reason', 'x'], 'exactly one of key, user and group'],
    ['with two owners', ['--key', 'ci', '--user', 'a', '--usd', '1', '--reason', 'x'], 'exactly one'],
    ['of a key that is not there', ['--key', 'nobody', '--usd', '1', '--reason', 'x'], 'There is no key'],
    ['of a group that is not there', ['--group', 'none', '--usd', '1', '--reason', 'x'], 'there is no group'],
    ['of what is no number', ['--key', 'ci', '--usd', 'lots', '--reason', 'x'], 'It must be US dollars'],
    ['above all that can be counted', ['--key', 'ci', '--usd', '9000001', '--reason', 'x'], '"amount_usd"'],
  ])('%s is refused', async (_case, argv, message) => {
    await using opened = await openBudgetGateway(smallBudget)
    const { error, code } = await opened.run('credits', 'grant', ...argv)
    expect([error, code]).toEqual([expect.stringContaining(message), 1])
  })
})

describe('a redemption code', () => {
  it('gives its credit once, to one of many concurrent requests', async () => {
    await using opened = await openBudgetGateway(smallBudget)
    const created = await opened.run('codes', 'create', '--usd', '10', '--credit-life', '90d')
    const [code = ''] = created.out.split('\n')
    expect(code).toMatch(/^HG(-[0-9A-Z]{4}){6}$/)
    const redeem = () =>
      opened.admin('POST', '/codes/redeem', { body: { code: code.toLowerCase(), key: 'ci' } })
    const statuses = (await Promise.all(Array.from({ length: 8 }, redeem))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
    expect((await opened.admin('GET', '/credits?key=ci')).body).toMatchObject({
      data: [
        { owner: 'key:ci', remaining_usd: 10, grants: [{ amount_usd: 10, expires_at: expect.any(String) }] },
      ],
    })
    const listed = await opened.run('codes', 'list', '--json')
    expect(JSON.parse(listed.out).data).toMatchObject([
      { state: 'redeemed', credit_life: '90d', redeemed_by: 'key:ci' },
    ])
  })

  it('gives nothing a second time, nor after a restart', async () => {
    const folder = makeTemporaryFolder()
    const first = await openBudgetGateway(keyCi('user: alice'), { folder })
    const [code = ''] = (await first.run('codes', 'create', '--usd', '10')).out.split('\n')
    expect(await first.run('codes', 'redeem', code, '--user', 'alice')).toMatchObject({ code: 0 })
    const again = await first.run('codes', 'redeem', code, '--key', 'ci')
    expect([again.code, again.error]).toEqual([1, expect.stringContaining('was redeemed already')])
    await first[Symbol.asyncDispose]()
    await using second = await openBudgetGateway(keyCi('user: alice'), { folder })
    expect(await second.run('codes', 'redeem', code, '--user', 'alice')).toMatchObject({ code: 1 })
    const { body } = await second.admin('GET', '/credits')
    expect(body).toMatchObject({ data: [{ owner: 'user:alice', remaining_usd: 10, grants: [{}] }] })
  })

  it('gives nothing once it has expired or is revoked', async () => {
    const clock = createCalendarClock('2026-11-23T09:00:00Z')
    await using opened = await openBudgetGateway(smallBudget, { clock })
    const create = async (...more: readonly string[]) =>
      (await opened.run('codes', 'create', '--usd', '10', ...more)).out.trim()
    const [late, bad] = [await create('--expires', '2026-12-01'), await create()]
    const { data } = JSON.parse((await opened.run('codes', 'list', '--json')).out)
    await opened.run('codes', 'revoke', data[0].id)
    clock.set('2026-12-01T00:00:00Z')
    for (const [code, reason] of [
      [late, 'This code has expired.'],
      [bad, 'This code was revoked.'],
      ['HG-NONE', 'There is no such code.'],
    ] as const) {
      const { error } = await opened.run('codes', 'redeem', code, '--key', 'ci')
      expect(error).toContain(reason)
    }
    const { body } = await opened.admin('GET', '/credits')
    expect(body).toEqual({ data: [], next_after: null })
  })

  it('is shown only once, when it is created', async () => {
    await using opened = await openBudgetGateway(smallBudget)
    const [code = '', other = ''] = (
      await opened.run('codes', 'create', '--usd', '10', '--count', '2')
    ).out.split('\n')
    await opened.run('codes', 'redeem', code, '--key', 'ci')
    const listed = await opened.run('codes', 'list', '--json')
    const audit = await opened.changes()
    expect(audit.map(({ action }) => action)).toEqual(['codes.redeem', 'codes.create'])
    expect(listed.out).toContain(other.slice(0, 7))
    for (const secret of [code, other]) {
      expect(listed.out).not.toContain(secret)
      expect(JSON.stringify(audit)).not.toContain(secret)
    }
  })
})
