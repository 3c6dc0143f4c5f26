import { createSecretKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Key, KeyTerms } from '../../src/access/key.ts'
import { type KeyQuery, type KeyStore, keySorts, keyStatuses } from '../../src/access/key-store.ts'
import { budgetListSchema, budgetSchema } from '../../src/access/limits/budget-schema.ts'
import { rateSchema } from '../../src/access/limits/rate-schema.ts'
import { makeBootstrapKey, makeKey } from '../../src/access/make-key.ts'
import { makeSecret } from '../../src/access/make-secret.ts'
import { readGrant } from '../../src/access/permission.ts'
import type { AuditRecord } from '../../src/canonical/audit.ts'
import { GatewayError } from '../../src/canonical/failure.ts'
import { systemRandom } from '../../src/kit/random/random.ts'
import { systemClock } from '../../src/kit/time/clock.ts'
import { openTerms } from '../support/key-terms.ts'

const maker = { pepper: createSecretKey(Buffer.alloc(32, 1)), clock: systemClock, random: systemRandom }

function terms(name: string, more: Partial<KeyTerms> = {}): KeyTerms {
  return { ...openTerms, name, ...more }
}

function madeKey(name: string, more: Partial<KeyTerms> = {}): Key {
  const order = { terms: terms(name, more), secret: makeSecret(systemRandom), hint: 'sk-hg-abcd' }
  return makeKey({ ...order, origin: 'made' }, maker)
}

const recordAt = (atMs: number): AuditRecord => ({
  author: 'tests',
  credential: 'session',
  address: '192.0.2.1',
  action: 'key.change',
  subject: 'a key',
  details: [],
  atMs,
})
const record = recordAt(1)

function fileKey(name: string, secret: string, more: Partial<KeyTerms> = {}): Key {
  return makeBootstrapKey({ ...terms(name, more), secret }, maker)
}

const anyKeys: KeyQuery = {
  search: undefined,
  user: undefined,
  group: undefined,
  status: undefined,
  includeRevoked: false,
  ownedBy: undefined,
  nowMs: 100,
  sort: 'name',
  descending: false,
  after: undefined,
  limit: 50,
}

/** The contract of every store of keys, whatever engine is under it. `open` gives an empty one. */
export function describeKeyStore(engine: string, open: () => Promise<KeyStore>): void {
  describe(`keys made in ${engine}`, () => testMadeKeys(open))
  describe(`pages of keys in ${engine}`, () => testPages(open))
  describe(`bootstrap keys in ${engine}`, () => testBootstrapKeys(open))
}

function testMadeKeys(open: () => Promise<KeyStore>): void {
  test('come back as they were stored', async () => {
    const store = await open()
    const full = madeKey('full', {
      permission: readGrant(['gpt-4o', 'claude "x"', 'qwen*']),
      group: 'search',
      allowIps: ['10.0.0.0/8'],
      dryRun: true,
      expiresAtMs: 1_800_000_000_000,
      user: 'alice',
      budgets: budgetListSchema.parse([
        {
          limit_usd: 0.1,
          window: 'day',
          time_zone: 'Europe/Berlin',
          at_limit: 'fallback',
          fallback: 'small',
        },
        { name: 'spree', limit_usd: 'unlimited', window: 'rolling 90m', mode: 'observe', warn_at: [10] },
      ]),
      rate: rateSchema.parse({ rpm: 60, burst: 5, output_tpm: 1_000, wait: '1500ms' }),
      tags: { team: 'search' },
      callerTags: true,
      endUserBudget: budgetSchema.parse({ limit_usd: 1.000000001, window: 'total' }),
      passthrough: ['openai', 'files'],
    })
    const bare = madeKey('bare')
    await store.insert(full, record)
    await store.insert(bare, record)
    expect(new Set(await store.list())).toEqual(new Set([full, bare]))
    expect(await store.find(full.id)).toEqual(full)
    expect(await store.find(madeKey('other').id)).toBe(undefined)
  })

  test('have a name of their own until they are revoked', async () => {
    const store = await open()
    const first = madeKey('ci')
    await store.insert(first, record)
    await expect(store.insert(madeKey('ci'), record)).rejects.toMatchObject({
      failure: { code: 'name_taken' },
    })
    expect(await store.revoke(first.id, recordAt(5))).toBe(true)
    await store.insert(madeKey('ci'), record)
    expect(await store.list()).toHaveLength(2)
  })

  test('have a secret of their own for ever', async () => {
    const store = await open()
    const key = madeKey('ci')
    await store.insert(key, record)
    await store.revoke(key.id, recordAt(5))
    const same = { ...madeKey('other'), digest: key.digest }
    await expect(store.insert(same, record)).rejects.toMatchObject({
      failure: { code: 'invalid_field', param: 'secret' },
    })
  })

  test('are revoked once and for all', async () => {
    const store = await open()
    const key = madeKey('ci')
    await store.insert(key, record)
    expect(await store.revoke(key.id, recordAt(5))).toBe(true)
    expect(await store.revoke(key.id, recordAt(6))).toBe(false)
    expect(await store.change({ ...key, disabled: false }, ['disabled'], record)).toBe(false)
    expect(await store.find(key.id)).toEqual({ ...key, revokedAtMs: 5 })
  })

  test('are disabled and enabled again', async () => {
    const store = await open()
    const key = madeKey('ci')
    await store.insert(key, record)
    expect(await store.change({ ...key, disabled: true }, ['disabled'], record)).toBe(true)
    expect(await store.find(key.id)).toEqual({ ...key, disabled: true })
    expect(await store.change({ ...key, disabled: false }, ['disabled'], record)).toBe(true)
    expect(await store.find(key.id)).toEqual(key)
    expect(await store.change(madeKey('other'), ['disabled'], record)).toBe(false)
  })

  test('take the terms that a change names, and no other', async () => {
    const store = await open()
    const key = madeKey('ci')
    await store.insert(key, record)
    const next = { ...key, name: 'build', tags: { team: 'search' }, disabled: true }
    expect(await store.change(next, ['name', 'tags'], record)).toBe(true)
    expect(await store.find(key.id)).toEqual({ ...next, disabled: false })
  })

  test('do not take a name that another key has', async () => {
    const store = await open()
    const key = madeKey('ci')
    await store.insert(key, record)
    await store.insert(madeKey('build'), record)
    await expect(store.change({ ...key, name: 'build' }, ['name'], record)).rejects.toMatchObject({
      failure: { code: 'name_taken' },
    })
    expect(await store.find(key.id)).toEqual(key)
  })

  test('take another secret and keep the one before, until it is replaced in its turn', async () => {
    const store = await open()
    const key = madeKey('ci')
    await store.insert(key, record)
    const { digest, hint } = madeKey('other')
    const rotated = { ...key, digest, hint, previous: { digest: key.digest, validUntilMs: 9 } }
    expect(await store.rotate(rotated, key.digest, record)).toBe(true)
    expect(await store.list()).toEqual([rotated])
    expect(await store.rotate({ ...rotated, previous: undefined }, digest, record)).toBe(true)
    expect(await store.list()).toEqual([{ ...rotated, previous: undefined }])
    await store.revoke(key.id, recordAt(5))
    expect(await store.rotate(rotated, digest, record)).toBe(false)
  })

  test('are not rotated from a secret that another rotation has replaced', async () => {
    const store = await open()
    const key = madeKey('ci')
    await store.insert(key, record)
    const [first, second] = [madeKey('one'), madeKey('two')].map(({ digest }) => ({ ...key, digest }))
    const rotate = (next = key) => store.rotate(next, key.digest, record)
    expect(await Promise.all([rotate(first), rotate(second)])).toEqual([true, false])
    expect(await store.list()).toEqual([first])
  })

  test('have the time of their last use', async () => {
    const store = await open()
    const [one, two] = [madeKey('one'), madeKey('two')]
    expect(await store.listUses()).toEqual(new Map())
    await store.writeUses(
      new Map([
        [one.id, 1],
        [two.id, 2],
      ]),
    )
    await store.writeUses(new Map([[one.id, 3]]))
    expect(await store.listUses()).toEqual(
      new Map([
        [one.id, 3],
        [two.id, 2],
      ]),
    )
  })
}

function testPages(open: () => Promise<KeyStore>): void {
  async function openWith(keys: readonly Key[]): Promise<KeyStore> {
    const store = await open()
    for (const key of keys) await store.insert(key, record)
    return store
  }
  const namesOf = async (store: KeyStore, query: Partial<KeyQuery>) =>
    (await store.page({ ...anyKeys, ...query })).keys.map(({ name }) => name)

  test.each(keySorts)('sorted by %s have every key once, in either direction', async (sort) => {
    const keys = Array.from({ length: 7 }, (_, index) => ({
      ...madeKey(`key ${index}`, { expiresAtMs: index % 3 === 0 ? undefined : index % 2 }),
      createdAtMs: index % 2,
    }))
    const store = await openWith(keys)
    await store.writeUses(new Map(keys.slice(0, 4).map(({ id }, index) => [id, index % 2])))
    const readAll = async (descending: boolean) => {
      const names: string[] = []
      for (let after: KeyQuery['after']; ; ) {
        const page = await store.page({ ...anyKeys, sort, descending, after, limit: 2 })
        names.push(...page.keys.map(({ name }) => name))
        after = page.next
        if (after === undefined) return names
      }
    }
    const names = await readAll(false)
    expect(names.toSorted()).toEqual(keys.map(({ name }) => name))
    expect(await readAll(true)).toEqual(names.toReversed())
  })

  test('are found by a part of the name, in which no character is a pattern', async () => {
    const store = await openWith([madeKey('Search-ci'), madeKey('build_ci'), madeKey('build-100%')])
    expect(await namesOf(store, { search: 'CI' })).toEqual(['Search-ci', 'build_ci'])
    expect(await namesOf(store, { search: '_' })).toEqual(['build_ci'])
    expect(await namesOf(store, { search: '%' })).toEqual(['build-100%'])
  })

  test('are found in either case by letters beyond those of English', async () => {
    const store = await openWith([madeKey('Ärzte'), madeKey('ИВАН'), madeKey('İzmir'), madeKey('研究')])
    for (const search of ['Ärzte', 'ärzte', 'ÄRZTE'])
      expect(await namesOf(store, { search })).toEqual(['Ärzte'])
    for (const search of ['ИВАН', 'иван', 'Ван']) expect(await namesOf(store, { search })).toEqual(['ИВАН'])
    expect(await namesOf(store, { search: 'İzmir' })).toEqual(['İzmir'])
    expect(await namesOf(store, { search: '研' })).toEqual(['研究'])
  })

  test('are those of a user, of a group, or of either', async () => {
    const store = await openWith([
      madeKey('a', { user: 'mia', group: 'search' }),
      madeKey('b', { user: 'max', group: 'search' }),
      madeKey('c', { user: 'max', group: 'other' }),
      madeKey('d'),
    ])
    expect(await namesOf(store, { user: 'max' })).toEqual(['b', 'c'])
    expect(await namesOf(store, { user: 'max', group: 'search' })).toEqual(['b'])
    expect(await namesOf(store, { ownedBy: { user: 'mia', groups: [] } })).toEqual(['a'])
    expect(await namesOf(store, { ownedBy: { user: 'mia', groups: ['other', 'third'] } })).toEqual(['a', 'c'])
  })

  test('are those of one status', async () => {
    const revoked = madeKey('revoked')
    const store = await openWith([
      madeKey('active', { expiresAtMs: 101 }),
      madeKey('disabled', { disabled: true, expiresAtMs: 100 }),
      madeKey('expired', { expiresAtMs: 100 }),
      revoked,
    ])
    await store.revoke(revoked.id, record)
    for (const status of keyStatuses) expect(await namesOf(store, { status })).toEqual([status])
    expect(await namesOf(store, {})).toEqual(['active', 'disabled', 'expired'])
    expect(await namesOf(store, { includeRevoked: true })).toHaveLength(4)
  })

  test('a key is found by its id, and by its name until it is revoked', async () => {
    const key = madeKey('ci')
    const store = await openWith([key])
    expect(await store.find('ci')).toEqual(key)
    expect(await store.find(key.id)).toEqual(key)
    expect(await store.find('other')).toBeUndefined()
    await store.revoke(key.id, recordAt(5))
    expect(await store.find('ci')).toBeUndefined()
    expect(await store.find(key.id)).toEqual({ ...key, revokedAtMs: 5 })
  })
}

function testBootstrapKeys(open: () => Promise<KeyStore>): void {
  const [one, two] = ['the first secret', 'the second secret']

  test('are inserted, changed and revoked until they equal the file, ids and dates kept', async () => {
    const store = await open()
    await store.replaceBootstrap([fileKey('a', one), fileKey('b', two)], 1)
    const before = await store.list()
    const answered = await store.replaceBootstrap([fileKey('a', one, { group: 'search' })], 2)
    const after = await store.list()
    const [a, b] = [before.find(({ name }) => name === 'a'), before.find(({ name }) => name === 'b')]
    expect(after).toContainEqual({ ...a, group: 'search' })
    expect(after).toContainEqual({ ...b, revokedAtMs: 2 })
    expect(after).toHaveLength(2)
    expect(new Set(answered)).toEqual(new Set(after))
  })

  test('are revived under their id when the file names them again', async () => {
    const store = await open()
    await store.replaceBootstrap([fileKey('a', one)], 1)
    const [before] = await store.list()
    await store.replaceBootstrap([], 2)
    await store.replaceBootstrap([fileKey('a', one)], 3)
    expect(await store.list()).toEqual([before])
  })

  test('may swap names or take a new secret under the old name', async () => {
    const store = await open()
    await store.replaceBootstrap([fileKey('a', one), fileKey('b', two)], 1)
    await store.replaceBootstrap([fileKey('b', one), fileKey('a', two)], 2)
    const names = async () => live(await store.list()).map(({ name, digest }) => [name, digest])
    expect(await names()).toHaveLength(2)
    expect(await names()).toEqual(
      expect.arrayContaining([
        ['b', fileKey('', one).digest],
        ['a', fileKey('', two).digest],
      ]),
    )
    await store.replaceBootstrap([fileKey('a', 'a third secret')], 3)
    expect(await names()).toEqual([['a', fileKey('', 'a third secret').digest]])
  })

  test('do not touch made keys, and change nothing at all where a name or secret collides with one', async () => {
    const store = await open()
    const made = madeKey('made')
    await store.insert(made, record)
    await store.replaceBootstrap([fileKey('a', one)], 1)
    const before = await store.list()
    const byName = store.replaceBootstrap([fileKey('b', two), fileKey('made', 'a third secret')], 2)
    await expect(byName).rejects.toThrow(GatewayError)
    const bySecret = store.replaceBootstrap([{ ...fileKey('c', two), digest: made.digest }], 2)
    await expect(bySecret).rejects.toMatchObject({ failure: { param: 'secret' } })
    expect(await store.list()).toEqual(before)
  })
}

function live(keys: readonly Key[]): readonly Key[] {
  return keys.filter(({ revokedAtMs }) => revokedAtMs === undefined)
}
