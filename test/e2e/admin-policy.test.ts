import { expect, it } from 'vitest'
import {
  type Asker,
  bearer,
  headersOf,
  invitePeople,
  makeTokens,
  scopeVariants,
  sessionAskers,
  signInAgain,
  uselessAskers,
} from '../support/admin-askers.ts'
import { codeOf } from '../support/admin-browser.ts'
import { addressFields, type StatedRule, statedRules, statedVerdict } from '../support/admin-policy.ts'
import { type AskAdmin, createAskAdmin } from '../support/ask-admin.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { type StartedGateway, startGateway, testAdminToken } from '../support/start-gateway.ts'

const yaml = `channels: [{ name: demo, provider: demo }]
groups: { search: { models: ["*"] } }
`
const RECENT_MS = 10 * 60_000
/** How many requests are in progress at once. */
const AT_ONCE = 8
/** An asker asks every fourth route, a route is asked by every fourth asker: `test/long/admin-policy.ts` has all. */
const EVERY = Number(process.env['POLICY_EVERY'] ?? 4)

const refusals: ReadonlySet<unknown> = new Set([
  'admin_only',
  'not_permitted',
  'scope_missing',
  'reauthentication_required',
  'cross_site_request',
])

interface Asked {
  readonly rule: StatedRule
  /** One of `addressFields`. */
  readonly field?: string
}

/** The verdict of the gateway: the code of its refusal, or `passes`, whatever becomes of the operation itself. */
async function verdictOf(
  gateway: StartedGateway,
  { headers, page }: Asker,
  { rule, field }: Asked,
): Promise<string> {
  const path = rule.path.replaceAll(/\{\w+\}/g, 'nothing-has-this-name')
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(rule.method)
  const response = await fetch(`${gateway.url}/admin/v1${path}`, {
    method: rule.method,
    // A redirect is an answer of the route; its page is another's.
    redirect: 'manual',
    headers: { ...headers, ...headersOf[page], ...(hasBody && { 'content-type': 'application/json' }) },
    ...(hasBody && { body: JSON.stringify(field === undefined ? {} : { [field]: null }) }),
  })
  const text = await response.text()
  if (response.status < 400) return 'passes'
  const code = codeOf({ body: JSON.parse(text) })
  // A backup that is in progress is the one fault that another asker can cause.
  if (response.status >= 500 && rule.path !== '/backup') return `${response.status} ${code}`
  return refusals.has(code) ? String(code) : 'passes'
}

/** What is asked of a rule: once, and with each field that leads elsewhere where that matters. */
function plan(rules: readonly StatedRule[]): readonly Asked[] {
  return rules.flatMap((rule) => [
    { rule },
    ...(rule.password === 'address' ? addressFields.map((field) => ({ rule, field })) : []),
  ])
}

interface Compared {
  readonly count: number
  readonly differences: readonly string[]
}

async function compare(
  gateway: StartedGateway,
  askers: readonly Asker[],
  rules: readonly StatedRule[],
): Promise<Compared> {
  const pairs = askers.flatMap((asker, row) =>
    plan(rules).flatMap((asked, column) => ((row + column) % EVERY === 0 ? [{ asker, asked }] : [])),
  )
  const differences: string[] = []
  const waiting = pairs.values()
  const work = async () => {
    for (const { asker, asked } of waiting) {
      const stated = statedVerdict(asked.rule, { ...asker, hasAddress: asked.field !== undefined })
      const found = await verdictOf(gateway, asker, asked)
      const { method, path } = asked.rule
      if (found !== stated)
        differences.push(
          `${method} ${path} ${asked.field ?? ''} by ${asker.name}: ${found}, stated ${stated}`,
        )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { count: pairs.length, differences }
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

async function readOperations(admin: AskAdmin): Promise<readonly string[]> {
  const { paths } = (await admin('GET', '/openapi.json')).body as ApiDocument
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace('/admin/v1', '')}`),
  )
}

/** Asked last of each session, as it ends the session. */
const isSignOut = ({ path }: StatedRule) => path === '/sign-out'

it('every route answers every role and every credential as the policy states', async () => {
  const clock = createFakeClock(Date.now())
  await using gateway = await startGateway(yaml, undefined, { clock })
  const admin = createAskAdmin(gateway.url)
  expect((await readOperations(admin)).toSorted()).toEqual(
    statedRules.map(({ method, path }) => `${method} ${path}`).toSorted(),
  )
  const results: Compared[] = []
  const run = async (askers: readonly Asker[], rules = statedRules) => {
    results.push(await compare(gateway, askers, rules))
  }
  const breakGlass = [bearer(testAdminToken), { authorization: testAdminToken }].map(
    (headers): Asker => ({
      name: `the admin token, ${headers.authorization.length} characters`,
      headers,
      by: { type: 'admin-token' },
      page: 'unnamed',
    }),
  )
  // Before there is an owner the admin token is the one credential.
  await run([...breakGlass, { name: 'nothing', headers: {}, by: { type: 'nobody' }, page: 'unnamed' }])

  const before = await invitePeople(gateway)
  clock.advance(RECENT_MS)
  const people = await signInAgain(gateway, before)
  await run([...breakGlass, ...(await uselessAskers(gateway, people, clock))])

  const allScopes = [...new Set(statedRules.flatMap(({ scope }) => scope ?? []))]
  for (const scope of new Set(statedRules.map((rule) => rule.scope))) {
    const tokens = await makeTokens(people, scopeVariants(scope, [...allScopes, 'sensitive:write']))
    await run(
      tokens,
      statedRules.filter((rule) => rule.scope === scope),
    )
    for (const { id } of tokens) await admin('DELETE', `/tokens/${id}`)
  }

  for (const [isRecent, signedIn] of [
    [false, before],
    [true, people],
  ] as const) {
    const askers = [...signedIn].flatMap(([name, { role, browser }]) =>
      sessionAskers(name, role, browser, isRecent),
    )
    await run(
      askers,
      statedRules.filter((rule) => !isSignOut(rule)),
    )
    const own = askers.filter(({ page }) => page === 'own')
    await run(
      askers.filter((asker) => !own.includes(asker)),
      statedRules.filter(isSignOut),
    )
    await run(own, statedRules.filter(isSignOut))
  }
  expect(results.flatMap(({ differences }) => differences)).toEqual([])
  const count = results.reduce((sum, each) => sum + each.count, 0)
  expect(count).toBeGreaterThan((statedRules.length * 85) / EVERY)
}, 120_000)
