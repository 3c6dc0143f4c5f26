import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { addUser, Browser, makeOwner, secretOf } from './admin-browser.ts'
import type { AskedHow } from './admin-policy.ts'
import type { FakeClock } from './fake-clock.ts'
import { type StartedGateway, testAdminToken, testKey } from './start-gateway.ts'

const roles = ['owner', 'admin', 'viewer', 'member'] as const

/**
 * A caller of the admin API: a name for the list of differences, the headers of the requests, and what the statement
 * knows.
 */
export interface Asker extends Pick<AskedHow, 'by' | 'page'> {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
/** The headers by which a browser says which page sends a request. */
export const headersOf: Readonly<Record<AskedHow['page'], Readonly<Record<string, string>>>> = {
  own: { 'sec-fetch-site': 'same-origin' },
  other: { 'sec-fetch-site': 'cross-site' },
  unnamed: {},
}

export function sessionAskers(person: string, role: string, { cookie = '' }: Browser, isRecent: boolean) {
  return (['own', 'other', 'unnamed'] as const).map((page): Asker => {
    const name = `a ${isRecent ? 'recent' : 'stale'} session of ${person} from the ${page} page`
    return { name, page, headers: { cookie }, by: { type: 'session', role, isRecent } }
  })
}

export type People = ReadonlyMap<string, { readonly role: string; readonly browser: Browser }>

/** One person of each role, and a member who manages a group. */
export async function invitePeople(gateway: StartedGateway): Promise<People> {
  const owner = await makeOwner(gateway, 'owner')
  const people = new Map([['owner', { role: 'owner', browser: owner }]])
  const groups = [{ group: 'search', manager: true }]
  for (const invitation of [
    ...['admin', 'viewer', 'member'].map((role) => ({ role, name: role })),
    { role: 'member', name: 'manager', groups },
  ])
    people.set(invitation.name, {
      role: invitation.role,
      browser: await addUser(owner, gateway, invitation),
    })
  return people
}

export async function signInAgain(gateway: StartedGateway, people: People): Promise<People> {
  const again = new Map<string, { role: string; browser: Browser }>()
  for (const [name, { role }] of people) {
    const browser = new Browser(gateway)
    expect((await browser.signIn(name)).status).toBe(200)
    again.set(name, { role, browser })
  }
  return again
}

/** Credentials that admit nobody, each for a reason of its own. */
export async function uselessAskers(
  gateway: StartedGateway,
  people: People,
  clock: FakeClock,
): Promise<readonly Asker[]> {
  const owner = people.get('owner')?.browser ?? expect.unreachable('there is an owner')
  const scopes = ['keys:write', 'users:write', 'sensitive:write']
  const make = async (by: Browser, more: object = {}) =>
    secretOf(await by.ask('POST', '/tokens', { name: 'over', scopes, ...more }))
  const expired = await make(owner, { expires_at: new Date(clock.nowMs() + 60_000).toISOString() })
  clock.advance(60_000)
  const revoked = await owner.ask('POST', '/tokens', { name: 'revoked', scopes })
  await owner.ask('DELETE', `/tokens/${(revoked.body as { readonly id: string }).id}`)
  const left = await addUser(owner, gateway, { role: 'admin', name: 'left' })
  const tokenOfLeft = await make(left)
  await owner.ask('PATCH', '/users/left', { disabled: true })
  const signedOut = new Browser(gateway)
  await signedOut.signIn('owner')
  const { cookie: ended = '' } = signedOut
  await signedOut.ask('POST', '/sign-out', {})
  const metrics = readFileSync(join(gateway.dataFolder, 'metrics-token'), 'utf8').trim()
  const useless: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    nothing: {},
    'an empty token': { authorization: 'Bearer ' },
    'an unknown token': bearer(`hgt_${'A'.repeat(43)}`),
    'an unknown session': { cookie: `headgate_session=${'A'.repeat(43)}` },
    'the session of another name': { cookie: `__Host-${owner.cookie}` },
    'two sessions at once': { cookie: `${owner.cookie}; ${owner.cookie}` },
    'a key of a caller': bearer(testKey),
    'a key of a caller in its own header': { 'x-api-key': testKey },
    'the admin token in the header of callers': { 'x-api-key': testAdminToken },
    'the metrics token': bearer(metrics),
    'an expired token': bearer(expired),
    'a revoked token': bearer(secretOf(revoked)),
    'a token of a disabled user': bearer(tokenOfLeft),
    'the session of a disabled user': { cookie: left.cookie ?? '' },
    'a session that was ended': { cookie: ended },
    'a wrong token beside a good session': {
      ...bearer('wrong-admin-token-0123456789'),
      cookie: owner.cookie ?? '',
    },
  }
  return Object.entries(useless).map(([name, headers]) => ({
    name,
    headers,
    by: { type: 'nobody' },
    page: 'own',
  }))
}

/** The scopes of four tokens that say all there is to say of a scope. */
export function scopeVariants(
  scope: string | undefined,
  all: readonly string[],
): readonly (readonly string[])[] {
  if (scope === undefined) return [all]
  const covering = [scope, scope.replace(':read', ':write')]
  const others = all.filter((each) => !covering.includes(each))
  const reading = scope.replace(':write', ':read')
  return [
    [scope],
    [scope, 'sensitive:write'],
    others,
    ...(reading === scope || !all.includes(reading) ? [] : [[reading, 'sensitive:write']]),
  ]
}

interface MadeToken extends Asker {
  readonly id: string
}

export async function makeTokens(
  people: People,
  scopeSets: readonly (readonly string[])[],
): Promise<readonly MadeToken[]> {
  const owner = people.get('owner')?.browser ?? expect.unreachable('there is an owner')
  const made: MadeToken[] = []
  const make = async (
    browser: Browser,
    body: { readonly scopes: readonly string[]; readonly service?: string },
    asker: Pick<Asker, 'name' | 'by'>,
  ) => {
    const answer = await browser.ask('POST', '/tokens', { name: 'matrix', ...body })
    expect(answer.status).toBe(201)
    const { id } = answer.body as { readonly id: string }
    made.push({ ...asker, id, page: 'other', headers: bearer(secretOf(answer)) })
  }
  for (const scopes of scopeSets) {
    const title = scopes.length > 3 ? `${scopes.length} scopes` : scopes.join(' ')
    for (const [name, { role, browser }] of people)
      await make(
        browser,
        { scopes },
        {
          name: `a token of ${name} with ${title}`,
          by: { type: 'user-token', role, scopes },
        },
      )
    for (const role of roles)
      await make(
        owner,
        { scopes, service: role },
        {
          name: `a token of a service as ${role} with ${title}`,
          by: { type: 'service-token', role, scopes },
        },
      )
  }
  return made
}
