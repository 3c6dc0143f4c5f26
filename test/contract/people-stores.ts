import { describe, expect, test } from 'vitest'
import {
  type AuthorizationPurpose,
  makeAuthorization,
} from '../../src/access/people/authorization-request.ts'
import { type LinkId, type LinkPurpose, makeLink } from '../../src/access/people/link.ts'
import { digestOpaqueSecret } from '../../src/access/people/opaque-secret.ts'
import type { PasswordHash } from '../../src/access/people/password.ts'
import { makeSession, SESSION_IDLE_MS, type SessionId } from '../../src/access/people/session.ts'
import { makeToken } from '../../src/access/people/token.ts'
import { makeUser, type User, type UserId, type UserOrder } from '../../src/access/people/user.ts'
import type { PeopleStores, UserCursor, UserQuery } from '../../src/access/people/user-store.ts'
import type { AuditRecord } from '../../src/canonical/audit.ts'
import { brand } from '../../src/kit/brand.ts'
import { systemRandom } from '../../src/kit/random/random.ts'
import { createFakeClock } from '../support/fake-clock.ts'

const clock = createFakeClock()
const maker = { clock, random: systemRandom }
const record: AuditRecord = {
  author: 'tests',
  credential: 'session',
  address: '192.0.2.1',
  action: 'user.change',
  subject: 'a user',
  details: [],
  atMs: clock.nowMs(),
}
const hash = (text: string) => brand<PasswordHash>(text)

export interface OpenedPeopleStores {
  readonly stores: PeopleStores
  countAudit(): Promise<number>
}

type Open = () => Promise<OpenedPeopleStores>

/** The contract of every store of people, whatever engine is under it. `open` gives an empty one. */
export function describePeopleStores(engine: string, open: Open): void {
  describe(`users in ${engine}`, () => testUsers(open))
  describe(`owners in ${engine}`, () => testOwners(open))
  describe(`pages of users in ${engine}`, () => testPages(open))
  describe(`sessions in ${engine}`, () => testSessions(open))
  describe(`tokens in ${engine}`, () => testTokens(open))
  describe(`links in ${engine}`, () => testLinks(open))
  describe(`second factors in ${engine}`, () => testTotp(open))
  describe(`identities in ${engine}`, () => testIdentities(open))
  describe(`authorization requests in ${engine}`, () => testAuthorizations(open))
  test(`failed sign-ins in ${engine} come back as they were written last`, () => testFailures(open))
}

/** A user as one who accepts an invitation becomes one. */
async function addUser({ users, links }: PeopleStores, name: string, more: Partial<UserOrder> = {}) {
  const order = { name, role: 'member', groups: [], password: hash('a hash'), createdBy: 'tests' } as const
  const user = makeUser({ ...order, ...more }, maker)
  const { link } = makeLink({ purpose: { type: 'owner' }, createdBy: 'tests' }, maker)
  await links.insert(link, record)
  expect(await users.accept(link.id, user, record)).toBe(true)
  return user
}

async function signIn({ sessions }: PeopleStores, { id }: Pick<User, 'id'>) {
  const made = makeSession({ userId: id, address: '192.0.2.1', userAgent: 'Firefox' }, maker)
  expect(await sessions.start(made.session, { password: hash('a hash'), record })).toBe(true)
  return made
}

function testUsers(open: Open): void {
  test('come back as they were stored, by id and by name in whichever case', async () => {
    const { stores } = await open()
    const groups = [
      { group: 'search', manager: true },
      { group: 'writers', manager: false },
    ]
    const user = await addUser(stores, 'Anna B', { role: 'admin', groups })
    expect(await stores.users.find(user.id)).toEqual(user)
    expect(await stores.users.findByName('aNNA b')).toEqual(user)
    expect(await stores.users.findByName('anna')).toBeUndefined()
  })

  test('change only what the change names, with one record', async () => {
    const { stores, countAudit } = await open()
    const user = await addUser(stores, 'anna', { groups: [{ group: 'search', manager: false }] })
    const before = await countAudit()
    expect(await stores.users.change(user.id, { role: 'viewer' }, record)).toBe(true)
    expect(await stores.users.change(user.id, { groups: [] }, record)).toBe(true)
    expect(await stores.users.find(user.id)).toEqual({ ...user, role: 'viewer', groups: [] })
    expect(await countAudit()).toBe(before + 2)
  })

  test('that are not there are neither changed nor deleted, and leave no record', async () => {
    const { stores, countAudit } = await open()
    const id = brand<UserId>('usr_nobody')
    expect(await stores.users.change(id, { disabled: true }, record)).toBe(false)
    const password = { password: hash('new'), record, except: brand<SessionId>('ses_none') }
    expect(await stores.users.changePassword(id, password)).toBe(false)
    expect(await stores.users.delete(id, record)).toBe(false)
    expect(await countAudit()).toBe(0)
  })

  test.each(['change', 'delete'] as const)(
    'lose sessions, tokens and open links by a %s that ends their access',
    async (method) => {
      const { stores } = await open()
      const { id } = await addUser(stores, 'anna')
      const { session } = await signIn(stores, { id })
      const owner = { type: 'user', userId: id } as const
      const order = { name: 't', owner, scopes: [], expiresAtMs: undefined, createdBy: 'anna' }
      const { token } = makeToken(order, maker)
      await stores.tokens.insert(token, record)
      const purpose = { type: 'reset', userId: id, name: 'anna' } as const
      const { link } = makeLink({ purpose, createdBy: 'tests' }, maker)
      await stores.links.insert(link, record)
      if (method === 'change') await stores.users.change(id, { disabled: true }, record)
      else await stores.users.delete(id, record)
      expect(await stores.sessions.find(session.digest)).toBeUndefined()
      expect(await stores.tokens.find(token.digest)).toBeUndefined()
      expect(await stores.links.find(link.digest)).toBeUndefined()
    },
  )

  test('that are deleted are gone, but nobody else gets the name', async () => {
    const { stores } = await open()
    const { id } = await addUser(stores, 'anna')
    await stores.users.delete(id, record)
    expect(await stores.users.find(id)).toBeUndefined()
    expect(await stores.users.findByName('anna')).toBeUndefined()
    await expect(addUser(stores, 'ANNA')).rejects.toMatchObject({ failure: { code: 'name_taken' } })
  })

  test('whose password changes lose their other sessions', async () => {
    const { stores } = await open()
    const { id } = await addUser(stores, 'anna')
    const [own, other] = [await signIn(stores, { id }), await signIn(stores, { id })]
    await stores.users.changePassword(id, { password: hash('new'), record, except: own.session.id })
    expect(await stores.sessions.find(own.session.digest)).toBeDefined()
    expect(await stores.sessions.find(other.session.digest)).toBeUndefined()
    expect((await stores.users.find(id))?.password).toBe('new')
  })

  test('whose password was hashed again keep one that was changed meanwhile', async () => {
    const { stores } = await open()
    const { id } = await addUser(stores, 'anna')
    await stores.users.rehash(id, hash('another'), hash('too late'))
    expect((await stores.users.find(id))?.password).toBe('a hash')
    await stores.users.rehash(id, hash('a hash'), hash('another hash'))
    expect((await stores.users.find(id))?.password).toBe('another hash')
  })
}

function testOwners(open: Open): void {
  test('are there once the first is made, and not while the only one is no user yet', async () => {
    const { stores } = await open()
    expect(await stores.users.hasOwner()).toBe(false)
    await addUser(stores, 'admin', { role: 'admin' })
    expect(await stores.users.hasOwner()).toBe(false)
    await addUser(stores, 'owner', { role: 'owner' })
    expect(await stores.users.hasOwner()).toBe(true)
  })

  test.each([
    ['disabled', (stores: PeopleStores, id: UserId) => stores.users.change(id, { disabled: true }, record)],
    ['demoted', (stores: PeopleStores, id: UserId) => stores.users.change(id, { role: 'admin' }, record)],
    ['deleted', (stores: PeopleStores, id: UserId) => stores.users.delete(id, record)],
  ])('cannot all be %s: the last active one stays, and no record says otherwise', async (_, end) => {
    const { stores, countAudit } = await open()
    const first = await addUser(stores, 'first', { role: 'owner' })
    const second = await addUser(stores, 'second', { role: 'owner' })
    expect(await end(stores, first.id)).toBe(true)
    const before = await countAudit()
    await expect(end(stores, second.id)).rejects.toMatchObject({ failure: { code: 'last_owner' } })
    expect(await stores.users.find(second.id)).toEqual(second)
    expect(await countAudit()).toBe(before)
  })

  test('of whom two are ended at once leave one', async () => {
    const { stores } = await open()
    const both = [
      await addUser(stores, 'one', { role: 'owner' }),
      await addUser(stores, 'two', { role: 'owner' }),
    ]
    const ends = await Promise.allSettled(both.map(({ id }) => stores.users.delete(id, record)))
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await stores.users.hasOwner()).toBe(true)
  })
}

const anyUsers: UserQuery = {
  search: undefined,
  role: undefined,
  group: undefined,
  disabled: undefined,
  after: undefined,
  sort: 'name',
  descending: false,
  limit: 2,
}

async function readPages({ users }: PeopleStores, query: Partial<UserQuery>): Promise<readonly string[]> {
  const names: string[] = []
  for (let after: UserCursor | undefined; ; ) {
    const page = await users.list({ ...anyUsers, ...query, after })
    names.push(...page.users.map(({ name }) => name))
    expect(page.users.length).toBeLessThanOrEqual(query.limit ?? anyUsers.limit)
    if (page.next === undefined) return names
    after = page.next
  }
}

function testPages(open: Open): void {
  async function openFive() {
    const { stores } = await open()
    const more = [
      ['Bert', { role: 'admin', groups: [{ group: 'search', manager: true }] }],
      ['anna', { role: 'owner' }],
      ['Dora_x', {}],
      ['carl', { groups: [{ group: 'search', manager: false }] }],
      ['eve', {}],
    ] as const
    for (const [name, order] of more) {
      clock.advance(1_000)
      await addUser(stores, name, order)
    }
    return stores
  }

  test('go through all users once, in the order asked for', async () => {
    const stores = await openFive()
    const names = ['anna', 'Bert', 'carl', 'Dora_x', 'eve']
    expect(await readPages(stores, {})).toEqual(names)
    expect(await readPages(stores, { descending: true })).toEqual(names.toReversed())
    const byAge = ['Bert', 'anna', 'Dora_x', 'carl', 'eve']
    expect(await readPages(stores, { sort: 'created' })).toEqual(byAge)
    expect(await readPages(stores, { sort: 'created', descending: true, limit: 3 })).toEqual(
      byAge.toReversed(),
    )
  })

  test('go through users who never signed in, in one order', async () => {
    const stores = await openFive()
    const carl = await stores.users.findByName('carl')
    if (carl !== undefined) await signIn(stores, carl)
    const names = await readPages(stores, { sort: 'last_sign_in', descending: true })
    expect(names[0]).toBe('carl')
    expect(new Set(names).size).toBe(5)
  })

  test('hold only what is searched for, whose signs mean themselves', async () => {
    const stores = await openFive()
    expect(await readPages(stores, { search: 'R' })).toEqual(['Bert', 'carl', 'Dora_x'])
    expect(await readPages(stores, { search: '_' })).toEqual(['Dora_x'])
    expect(await readPages(stores, { search: '%' })).toEqual([])
    expect(await readPages(stores, { group: 'search' })).toEqual(['Bert', 'carl'])
    expect(await readPages(stores, { role: 'owner' })).toEqual(['anna'])
    expect(await readPages(stores, { disabled: true })).toEqual([])
    expect(await readPages(stores, { disabled: false, role: 'member' })).toHaveLength(3)
  })
}

function testSessions(open: Open): void {
  test('come back with their user as the user is now, and say when one signed in last', async () => {
    const { stores } = await open()
    const user = await addUser(stores, 'anna')
    const { session } = await signIn(stores, user)
    await stores.users.change(user.id, { role: 'viewer' }, record)
    const signedIn = { ...user, role: 'viewer', lastSignInAtMs: session.createdAtMs }
    expect(await stores.sessions.find(session.digest)).toEqual({ session, user: signedIn })
    expect(await stores.sessions.findById(session.id)).toEqual({ session, user: signedIn })
    expect(await stores.sessions.find(digestOpaqueSecret('another'))).toBeUndefined()
  })

  test.each([
    [
      'the password changes',
      (stores: PeopleStores, id: UserId) =>
        stores.users.changePassword(id, {
          password: hash('new'),
          record,
          except: brand<SessionId>('ses_none'),
        }),
    ],
    [
      'the user is disabled',
      (stores: PeopleStores, id: UserId) => stores.users.change(id, { disabled: true }, record),
    ],
    ['the user is deleted', (stores: PeopleStores, id: UserId) => stores.users.delete(id, record)],
  ])('do not start where %s between the check and the start, and leave no trace', async (_, change) => {
    const { stores, countAudit } = await open()
    const { id } = await addUser(stores, 'anna')
    const { session } = makeSession({ userId: id, address: '192.0.2.1', userAgent: 'Firefox' }, maker)
    expect(await change(stores, id)).toBe(true)
    const before = await countAudit()
    expect(await stores.sessions.start(session, { password: hash('a hash'), record })).toBe(false)
    expect(await stores.sessions.find(session.digest)).toBeUndefined()
    expect((await stores.users.find(id))?.lastSignInAtMs).toBeUndefined()
    expect(await countAudit()).toBe(before)
  })

  test('are used and refreshed', async () => {
    const { stores } = await open()
    const { session } = await signIn(stores, await addUser(stores, 'anna'))
    await stores.sessions.use(session.id, 7)
    await stores.sessions.refresh(session.id, 8, record)
    const found = await stores.sessions.find(session.digest)
    expect(found?.session).toEqual({ ...session, lastUsedAtMs: 7, freshUntilMs: 8 })
  })

  test('are listed of one user or of all, and end one by one', async () => {
    const { stores, countAudit } = await open()
    const [anna, bert] = [await addUser(stores, 'anna'), await addUser(stores, 'bert')]
    const { session } = await signIn(stores, anna)
    await signIn(stores, bert)
    expect(await stores.sessions.list(undefined)).toHaveLength(2)
    expect((await stores.sessions.list(anna.id)).map((found) => found.session.id)).toEqual([session.id])
    const before = await countAudit()
    expect(await stores.sessions.end(session.id, record)).toBe(true)
    expect(await stores.sessions.end(session.id, record)).toBe(false)
    expect(await countAudit()).toBe(before + 1)
    expect(await stores.sessions.list(anna.id)).toEqual([])
  })

  test('that can no longer be used are deleted, and no other', async () => {
    const { stores } = await open()
    const user = await addUser(stores, 'anna')
    const { session } = await signIn(stores, user)
    await stores.sessions.deleteEnded(session.lastUsedAtMs + SESSION_IDLE_MS - 1)
    expect(await stores.sessions.list(undefined)).toHaveLength(1)
    await stores.sessions.deleteEnded(session.lastUsedAtMs + SESSION_IDLE_MS)
    expect(await stores.sessions.list(undefined)).toEqual([])
  })

  test('of one user are a hundred at most: the one unused for longest ends', async () => {
    const { stores } = await open()
    const user = await addUser(stores, 'anna')
    const first = await signIn(stores, user)
    for (let count = 0; count < 100; count += 1) {
      clock.advance(1)
      await signIn(stores, user)
    }
    expect(await stores.sessions.list(user.id)).toHaveLength(100)
    expect(await stores.sessions.find(first.session.digest)).toBeUndefined()
  })
}

function testTokens(open: Open): void {
  const order = { name: 'reports', scopes: ['usage:read'], expiresAtMs: 5, createdBy: 'anna' } as const

  test('come back as they were stored, a user’s with the user', async () => {
    const { stores } = await open()
    const user = await addUser(stores, 'anna')
    const own = makeToken({ ...order, owner: { type: 'user', userId: user.id } }, maker).token
    const service = makeToken({ ...order, owner: { type: 'service', role: 'viewer' } }, maker).token
    await stores.tokens.insert(own, record)
    await stores.tokens.insert(service, record)
    expect(await stores.tokens.find(own.digest)).toEqual({ token: own, owner: { type: 'user', user } })
    expect(await stores.tokens.findById(service.id)).toEqual({
      token: service,
      owner: { type: 'service', role: 'viewer' },
    })
    expect((await stores.tokens.list(user.id)).map(({ token }) => token.id)).toEqual([own.id])
    expect(await stores.tokens.list(undefined)).toHaveLength(2)
  })

  test('are used, and revoked once', async () => {
    const { stores } = await open()
    const { token } = makeToken({ ...order, owner: { type: 'service', role: 'viewer' } }, maker)
    await stores.tokens.insert(token, record)
    await stores.tokens.use(token.id, 9)
    expect((await stores.tokens.find(token.digest))?.token.lastUsedAtMs).toBe(9)
    expect(await stores.tokens.delete(token.id, record)).toBe(true)
    expect(await stores.tokens.delete(token.id, record)).toBe(false)
    expect(await stores.tokens.find(token.digest)).toBeUndefined()
  })

  test('of one user are a hundred at most', async () => {
    const { stores } = await open()
    const { id } = await addUser(stores, 'anna')
    const add = () =>
      stores.tokens.insert(makeToken({ ...order, owner: { type: 'user', userId: id } }, maker).token, record)
    for (let count = 0; count < 100; count += 1) await add()
    await expect(add()).rejects.toMatchObject({ failure: { code: 'too_many_tokens' } })
  })
}

function testLinks(open: Open): void {
  const groups = [{ group: 'search', manager: true }]

  test.each<LinkPurpose>([
    { type: 'owner' },
    { type: 'invitation', role: 'member', groups, name: undefined },
    { type: 'invitation', role: 'admin', groups: [], name: 'anna' },
    { type: 'reset', userId: brand<UserId>('usr_1'), name: 'anna' },
  ])('come back as they were stored: %j', async (purpose) => {
    const { stores } = await open()
    const { link } = makeLink({ purpose, createdBy: 'tests' }, maker)
    await stores.links.insert(link, record)
    expect(await stores.links.find(link.digest)).toEqual(link)
    expect(await stores.links.findById(link.id)).toEqual(link)
    expect(await stores.links.list()).toEqual([link])
  })

  test('are used once, and stay where the name is taken', async () => {
    const { stores, countAudit } = await open()
    const { link } = makeLink({ purpose: { type: 'owner' }, createdBy: 'tests' }, maker)
    await stores.links.insert(link, record)
    await addUser(stores, 'anna')
    const order = { role: 'owner', groups: [], password: hash('a hash'), createdBy: 'tests' } as const
    const before = await countAudit()
    const taken = stores.users.accept(link.id, makeUser({ ...order, name: 'Anna' }, maker), record)
    await expect(taken).rejects.toMatchObject({ failure: { code: 'name_taken' } })
    expect(await countAudit()).toBe(before)
    const accept = (name: string) => stores.users.accept(link.id, makeUser({ ...order, name }, maker), record)
    const both = await Promise.all([accept('bert'), accept('carl')])
    expect(both.sort()).toEqual([false, true])
    expect(await stores.links.find(link.digest)).toBeUndefined()
  })

  test('to a new password end the user’s sessions and the other links', async () => {
    const { stores } = await open()
    const { id } = await addUser(stores, 'anna')
    const { session } = await signIn(stores, { id })
    const purpose = { type: 'reset', userId: id, name: 'anna' } as const
    const made = [1, 2].map(() => makeLink({ purpose, createdBy: 'tests' }, maker).link)
    for (const link of made) await stores.links.insert(link, record)
    const [first, second] = made
    const reset = (link = first) =>
      link && stores.users.acceptReset(link.id, id, { password: hash('new'), record })
    expect(await reset()).toBe(true)
    expect(await reset()).toBe(false)
    expect(await reset(second)).toBe(false)
    expect(await stores.sessions.find(session.digest)).toBeUndefined()
    expect((await stores.users.find(id))?.password).toBe('new')
  })

  test('to a new password end where their user becomes an owner, as an admin may have made them', async () => {
    const { stores } = await open()
    const { id } = await addUser(stores, 'anna')
    const purpose = { type: 'reset', userId: id, name: 'anna' } as const
    const { link } = makeLink({ purpose, createdBy: 'an admin' }, maker)
    await stores.links.insert(link, record)
    await stores.users.change(id, { role: 'admin' }, record)
    expect(await stores.links.find(link.digest)).toEqual(link)
    await stores.users.change(id, { role: 'owner' }, record)
    expect(await stores.links.find(link.digest)).toBeUndefined()
  })

  test('are withdrawn, or deleted once they have expired', async () => {
    const { stores } = await open()
    const make = () => makeLink({ purpose: { type: 'owner' }, createdBy: 'tests' }, maker).link
    const [one, two] = [make(), make()]
    await stores.links.insert(one, record)
    await stores.links.insert(two, record)
    expect(await stores.links.delete(one.id, record)).toBe(true)
    expect(await stores.links.delete(one.id, record)).toBe(false)
    await stores.links.deleteExpired(two.expiresAtMs - 1)
    expect(await stores.links.list()).toEqual([two])
    await stores.links.deleteExpired(two.expiresAtMs)
    expect(await stores.links.list()).toEqual([])
  })
}

function testTotp(open: Open): void {
  test('count each step once, also where two come at the same time', async () => {
    const { stores } = await open()
    const { id } = await addUser(stores, 'anna')
    const totp = { type: 'confirmed', sealedSecret: 'sealed', lastStep: 10 } as const
    await stores.users.changeTotp(id, totp, { recoveryDigests: [], record })
    expect((await stores.users.find(id))?.totp).toEqual(totp)
    const both = await Promise.all([stores.users.useTotpStep(id, 11), stores.users.useTotpStep(id, 11)])
    expect(both.sort()).toEqual([false, true])
    expect(await stores.users.useTotpStep(id, 10)).toBe(false)
    expect(await stores.users.useTotpStep(id, 12)).toBe(true)
  })

  test('have recovery codes that count once, and go with them', async () => {
    const { stores } = await open()
    const { id } = await addUser(stores, 'anna')
    const totp = { type: 'confirmed', sealedSecret: 'sealed', lastStep: 0 } as const
    await stores.users.changeTotp(id, totp, { recoveryDigests: ['a', 'b'], record })
    expect(await stores.users.useRecoveryCode(id, 'a')).toBe(true)
    expect(await stores.users.useRecoveryCode(id, 'a')).toBe(false)
    expect(await stores.users.useRecoveryCode(id, 'c')).toBe(false)
    await stores.users.changeTotp(id, undefined, { recoveryDigests: [], record })
    expect(await stores.users.useRecoveryCode(id, 'b')).toBe(false)
    expect((await stores.users.find(id))?.totp).toBeUndefined()
  })
}

async function testFailures(open: Open): Promise<void> {
  const { failures } = (await open()).stores
  const [one, two] = ['name anna', 'address 192.0.2.1'].map((subject, index) => ({
    subject,
    failures: 3,
    lastAtMs: index,
  }))
  if (one === undefined || two === undefined) return expect.fail()
  await failures.write([one, two])
  await failures.write([
    { ...one, failures: 4 },
    { ...two, failures: 0 },
  ])
  expect(await failures.list()).toEqual([{ ...one, failures: 4 }])
  const addOne = () =>
    failures.change([one.subject], (stored) =>
      stored.map((count) => ({ ...count, failures: count.failures + 1 })),
    )
  await Promise.all(Array.from({ length: 20 }, addOne))
  expect(await failures.list()).toEqual([{ ...one, failures: 24 }])
}

const identity = {
  issuer: 'https://login.example',
  subject: 'anna-1',
  email: 'anna@example.com',
  linkedAtMs: clock.nowMs(),
}

function testIdentities(open: Open): void {
  test('come back with their user, who needs no password, and find the user', async () => {
    const { stores } = await open()
    const user = await addUser(stores, 'anna', { password: undefined, identity })
    expect(await stores.users.find(user.id)).toEqual({ ...user, identity, password: undefined })
    expect(await stores.users.findByIdentity(identity)).toEqual(user)
    const others = [
      { ...identity, issuer: 'https://other.example' },
      { ...identity, subject: 'ANNA-1' },
    ]
    for (const other of others) expect(await stores.users.findByIdentity(other)).toBeUndefined()
  })

  test('of somebody who signs up come with the user, and with one record', async () => {
    const { stores, countAudit } = await open()
    const order = { name: 'anna', role: 'member', groups: [], password: undefined, createdBy: 'x' } as const
    const user = makeUser({ ...order, identity }, maker)
    await stores.users.insert(user, record)
    expect(await stores.users.findByIdentity(identity)).toEqual(user)
    expect(await countAudit()).toBe(1)
    const repeat = makeUser({ ...order, name: 'Anna' }, maker)
    await expect(stores.users.insert(repeat, record)).rejects.toMatchObject({
      failure: { code: 'name_taken' },
    })
  })

  test('belong to one user, who has one', async () => {
    const { stores, countAudit } = await open()
    const anna = await addUser(stores, 'anna')
    const boris = await addUser(stores, 'boris')
    expect(await stores.users.linkIdentity(anna.id, identity, record)).toBe(true)
    const before = await countAudit()
    const inUse = { failure: { code: 'identity_in_use' } }
    await expect(stores.users.linkIdentity(boris.id, identity, record)).rejects.toMatchObject(inUse)
    const second = { ...identity, subject: 'anna-2' }
    await expect(stores.users.linkIdentity(anna.id, second, record)).rejects.toMatchObject(inUse)
    await expect(addUser(stores, 'eve', { identity })).rejects.toMatchObject(inUse)
    expect(await stores.users.findByName('eve')).toBeUndefined()
    expect(await stores.users.linkIdentity(brand<UserId>('usr_nobody'), second, record)).toBe(false)
    // The link of "eve" is one record.
    expect(await countAudit()).toBe(before + 1)
  })

  test('that are unlinked are nobody’s, and end the other sessions', async () => {
    const { stores } = await open()
    const user = await addUser(stores, 'anna', { identity })
    const [used, other] = [await signIn(stores, user), await signIn(stores, user)]
    const change = { record, except: used.session.id }
    expect(await stores.users.unlinkIdentity(user.id, change)).toBe(true)
    expect(await stores.users.unlinkIdentity(user.id, change)).toBe(false)
    expect(await stores.users.findByIdentity(identity)).toBeUndefined()
    expect(await stores.sessions.find(used.session.digest)).toBeDefined()
    expect(await stores.sessions.find(other.session.digest)).toBeUndefined()
  })

  test('of a user who is deleted can be another’s', async () => {
    const { stores } = await open()
    const { id } = await addUser(stores, 'anna', { identity })
    await stores.users.delete(id, record)
    expect(await stores.users.findByIdentity(identity)).toBeUndefined()
    await addUser(stores, 'boris', { identity })
  })

  test('leave sessions that note whether the second factor was shown', async () => {
    const { stores } = await open()
    const user = await addUser(stores, 'anna', { identity })
    const { session } = await signIn(stores, user)
    expect((await stores.sessions.findById(session.id))?.session.hasSecondFactor).toBe(false)
    await stores.sessions.showFactor(session.id, record)
    expect((await stores.sessions.findById(session.id))?.session).toEqual({
      ...session,
      hasSecondFactor: true,
    })
  })
}

function testAuthorizations(open: Open): void {
  const begin = (purpose: AuthorizationPurpose) =>
    makeAuthorization({ purpose, redirectUri: 'https://a.example/callback', returnTo: 'keys?a=1' }, maker)
  const session = { sessionId: brand<SessionId>('ses_1'), userId: brand<UserId>('usr_1') }

  test.each<AuthorizationPurpose>([
    { type: 'sign-in' },
    { type: 'accept', linkId: brand<LinkId>('lnk_1') },
    { type: 'join', ...session },
    { type: 'reauthenticate', ...session },
  ])('come back as they were stored, once: $type', async (purpose) => {
    const { stores } = await open()
    const { request } = begin(purpose)
    await stores.authorizations.insert(request)
    const consume = () => stores.authorizations.consume(request.stateDigest, request.browserDigest)
    const both = await Promise.all([consume(), consume()])
    expect(both.filter((each) => each !== undefined)).toEqual([request])
    expect(await consume()).toBeUndefined()
  })

  test('stay where another browser asks', async () => {
    const { stores } = await open()
    const [{ request }, other] = [begin({ type: 'sign-in' }), begin({ type: 'sign-in' })]
    await stores.authorizations.insert(request)
    const { stateDigest, browserDigest } = request
    expect(await stores.authorizations.consume(stateDigest, other.request.browserDigest)).toBeUndefined()
    expect(await stores.authorizations.consume(other.request.stateDigest, browserDigest)).toBeUndefined()
    expect(await stores.authorizations.consume(stateDigest, browserDigest)).toEqual(request)
  })

  test('go once they have expired', async () => {
    const { stores } = await open()
    const { request } = begin({ type: 'sign-in' })
    const { stateDigest, browserDigest, expiresAtMs } = request
    await stores.authorizations.insert(request)
    await stores.authorizations.deleteExpired(expiresAtMs - 1)
    expect(await stores.authorizations.consume(stateDigest, browserDigest)).toEqual(request)
    await stores.authorizations.insert(request)
    await stores.authorizations.deleteExpired(expiresAtMs)
    expect(await stores.authorizations.consume(stateDigest, browserDigest)).toBeUndefined()
  })
}
