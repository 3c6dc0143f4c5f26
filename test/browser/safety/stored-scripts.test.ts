import { expect, it } from 'vitest'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { openBusyGateway } from '../../support/console/open-busy-gateway.ts'
import { fieldsOf, listOf } from '../../support/judged.ts'
import { jsonAnswer, openScriptedUpstream } from '../../support/scripted-upstream.ts'
import { buildConsole } from '../support/build-console.ts'
import { openConsole } from '../support/open-console.ts'

/** Texts that run where a page takes them for markup, for an attribute or for an address. */
const scripts = [
  '<img src=x onerror="window.ranStored=1">',
  '"><svg onload="window.ranStored=1">',
  '<script>window.ranStored=1</script>',
  'javascript:window.ranStored=1',
]
const [script = ''] = scripts

/** The bodies of an operation that hold a script in one text field each. */
function spoil(body: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  return Object.keys(body).flatMap((name) =>
    typeof body[name] === 'string' ? scripts.map((text) => ({ ...body, [name]: text })) : [],
  )
}

const channel = { provider: 'openai-compatible', base_url: 'https://example.com/v1', api_key: 'k-0123456789' }

/** What makes something that a page shows; each text field of it is tried by itself. */
const makes: readonly (readonly [method: string, path: string, body: Readonly<Record<string, unknown>>])[] = [
  ['POST', '/keys', { name: 'plain', user: 'u', group: 'search' }],
  ['POST', '/users/invite', { name: 'new', role: 'member' }],
  ['POST', '/groups', { name: 'g', models: ['*'] }],
  ['POST', '/channels', { name: 'c', ...channel, models: ['m'] }],
  ['POST', '/models', { name: 'alias', targets: ['openai/gpt-4o'] }],
  ['POST', '/budgets', { name: 'b', scope: 'installation', limit_usd: 5, window: 'day' }],
  ['POST', '/credits', { owner: 'key:ci', amount_usd: 1, reason: 'why' }],
  ['POST', '/codes', { count: 1, amount_usd: 1, reason: 'why' }],
  ['POST', '/tokens', { name: 't', scopes: ['keys:read'] }],
  ['POST', '/drafts', { name: 'd', comment: 'why' }],
  ['POST', '/budgets/everything/raise', { by_usd: 1, reason: 'why' }],
]

/** Fields that hold texts below their first level. */
const nested: typeof makes = [
  ['POST', '/keys', { name: 'tagged', tags: { team: script } }],
  ['POST', '/keys', { name: 'granted', models: [script] }],
  ['POST', '/channels', { name: 'listed', ...channel, models: { [script]: script } }],
  ['POST', '/channels', { name: 'headed', ...channel, models: ['m'], headers: { 'x-team': script } }],
]

it('no page runs a script in a text that the admin API stores, or that callers and upstreams send', async () => {
  await using upstream = await openScriptedUpstream(() =>
    jsonAnswer({ error: { message: script, type: script, code: script } }, 400),
  )
  await using busy = await openBusyGateway({ days: 1, consoleBuild: buildConsole() })
  const admin = createAskAdmin(busy.gateway.url)
  let stored = 0
  for (const [method, path, body] of [
    ...makes.flatMap(([method, path, body]) => spoil(body).map((each) => [method, path, each] as const)),
    ...nested,
  ]) {
    const { status } = await admin(method, path, { body })
    if (status < 300) stored += 1
    expect(status, `${method} ${path} ${JSON.stringify(body)}`).toBeLessThan(500)
  }
  // Fields with a form of their own refuse them; free texts store them.
  expect(stored).toBeGreaterThan(20)

  const wrong = {
    name: 'wrong',
    provider: 'openai-compatible',
    base_url: `${upstream.origin}/v1`,
    models: ['wrong'],
    api_key: 'k-0123456789',
    allow_private: true,
  }
  await admin('POST', '/channels', { body: wrong })
  for (const model of ['wrong', 'gpt-4o', script])
    await fetch(`${busy.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer sk-ci-0123456789abcdef',
        'content-type': 'application/json',
        'user-agent': script,
      },
      body: JSON.stringify({ model, user: script, messages: [{ role: 'user', content: script }] }),
    })

  await using inBrowser = await openConsole(busy.gateway)
  const { page, faults, open } = await inBrowser.visit({ name: 'olga' })
  await open('/')
  const links = page.getByRole('navigation').getByRole('link')
  const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  let looked = 0
  for (const address of addresses.map((each) => each.replace(/^\/console/, ''))) {
    await open(address)
    const rows = page.locator('table a[href]')
    for (let row = 0; row < Math.min(2, await rows.count()); row += 1) {
      const detail = (await rows.nth(row).getAttribute('href')) ?? ''
      await open(detail.replace(/^\/console/, ''))
      looked += 1
      await open(address)
    }
    const state = await page.evaluate(() => ({
      ran: 'ranStored' in window,
      addresses: [...document.querySelectorAll('[href],[src]')].filter((element) =>
        /^\s*javascript:/i.test(element.getAttribute('href') ?? element.getAttribute('src') ?? ''),
      ).length,
      secrets: document.documentElement.outerHTML.match(/sk-up-\d{10}|k-0123456789/g),
      kept: JSON.stringify([{ ...localStorage }, { ...sessionStorage }]).match(/sk-up-|hg_session/g),
    }))
    expect(state, address).toEqual({ ran: false, addresses: 0, secrets: null, kept: null })
  }
  expect(looked).toBeGreaterThan(10)
  expect(faults.found.filter((fault) => fault.startsWith('policy'))).toEqual([])
  const audit = listOf(fieldsOf((await admin('GET', '/audit?limit=200')).body)['data'])
  expect(JSON.stringify(audit)).not.toContain('k-0123456789')
}, 400_000)
