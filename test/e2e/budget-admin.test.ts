import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { registerBudgetCommands } from '../../src/cli/budgets.ts'
import { registerCreditCommands } from '../../src/cli/credits.ts'
import { type AskAdmin, createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway, testAdminToken } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const secret = 'sk-budget-0123456789abcdef'
/** Costs $0.00005 at the price below. */
const answer = {
  ...{ id: 'c1', object: 'chat.completion', created: 1, model: 'm', service_tier: 'default' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
}

/** On a folder that is given, the gateway of before goes on. */
async function open(more: string, folder = makeTemporaryFolder()) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream(() => jsonAnswer(answer)))
  const channels = channelYaml({ name: 'first', format: 'chat', origin: upstream.origin, models: ['m'] })
  const models = 'models: { m: { price: { input: 1, output: 2 } } }\n'
  const gateway = cleanup.use(await startGateway(`${channels}${models}${more}`, folder))
  const opened = cleanup.move()
  const admin = createAskAdmin(gateway.url)
  return {
    gateway,
    admin,
    folder,
    run: createRun(gateway),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function send({ url }: StartedGateway, key = secret): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  await response.text()
  return response.status
}

/** Runs `headgate …` in this process. */
function createRun({ dataFolder }: StartedGateway) {
  return async (...argv: readonly string[]) => {
    const ran = { out: '', error: '', code: 0 }
    const io = {
      write(text: string) {
        ran.out += text
      },
      writeError(text: string) {
        ran.error += text
      },
      isTerminal: false,
      setExitCode(code: number) {
        ran.code = code
      },
    }
    const program = new Command('headgate').exitOverride()
    const context = { dataFolder: () => dataFolder, adminToken: () => testAdminToken, io }
    registerBudgetCommands(program, context)
    registerCreditCommands(program, context)
    await program.parseAsync(['node', 'headgate', ...argv])
    return ran
  }
}

const ci = (more: string) => `keys: [{ name: ci, secret: ${secret}, ${more} }]\n`
const small = ci('budgets: [{ limit_usd: 0.00024, window: month, at_limit: refuse }]')

async function actionsOf(admin: AskAdmin): Promise<readonly unknown[]> {
  const { body } = await admin('GET', '/audit?limit=1000')
  const { data } = body as {
    readonly data: readonly { readonly action: string; readonly details: unknown }[]
  }
  return data
    .filter(({ action }) => !action.startsWith('key.'))
    .map(({ action, details }) => [action, details])
}

describe('budgets', () => {
  it('are listed with what is spent and what is left', async () => {
    await using opened = await open(
      `${ci('budgets: [{ limit_usd: 5, window: day, time_zone: Europe/Berlin }], end_user_budget: { window: day }')}
budgets: [{ name: all, scope: installation, window: rolling 5h, mode: observe }]\n`,
    )
    expect(await send(opened.gateway)).toBe(200)
    const { body } = await opened.admin('GET', '/budgets')
    expect(body).toMatchObject({
      data: [
        {
          name: 'all',
          scope: 'installation',
          window: 'rolling 5h',
          limit_usd: 'unlimited',
          spent_usd: 0.00005,
        },
        {
          ...{
            name: 'key:ci/day',
            scope: 'key:ci',
            window: 'day',
            time_zone: 'Europe/Berlin',
            mode: 'exact',
          },
          ...{ limit_usd: 5, spent_usd: 0.00005, held_usd: 0, remaining_usd: 4.99995 },
          resets_at: expect.stringMatching(/T2[23]:00:00.000Z$/),
        },
        { name: 'key:ci/end_user/day', scope: 'tag:end_user', spent_usd: null, remaining_usd: null },
      ],
    })
    const { out } = await opened.run('budgets', 'list')
    expect(out).toMatch(/^NAME +SCOPE +WINDOW +MODE +LIMIT +SPENT +HELD +LEFT +STARTS ANEW\n/)
    expect(out).toMatch(
      /\nkey:ci\/day +key:ci +day Europe\/Berlin +exact +\$5.00 +\$0.00005 +\$0.00 +\$4.99995 +20/,
    )
    const shown = await opened.run('budgets', 'show', 'key:ci/end_user/day', '--value', 'bob', '--json')
    expect(JSON.parse(shown.out)).toMatchObject({ value: 'bob', spent_usd: 0 })
  })

  it('are raised until a time and started anew, which a restart keeps and the audit has', async () => {
    const folder = makeTemporaryFolder()
    const first = await open(small, folder)
    expect([await send(first.gateway), await send(first.gateway)]).toEqual([200, 429])
    const reset = await first.run('budgets', 'reset', 'key:ci/month', '--reason', 'a test')
    expect(reset.out).toMatch(/\nkey:ci\/month .*\$0.00024 +\$0.00 /)
    expect([await send(first.gateway), await send(first.gateway)]).toEqual([200, 429])
    await first.run('budgets', 'raise', 'key:ci/month', '--by', '0.001', '--until', '30d')
    expect(await send(first.gateway)).toBe(200)
    const before = (await first.admin('GET', '/budgets')).body
    await first[Symbol.asyncDispose]()
    await using second = await open(small, folder)
    expect((await second.admin('GET', '/budgets')).body).toEqual(before)
    expect(before).toMatchObject({ data: [{ limit_usd: 0.00124, spent_usd: 0.0001 }] })
    expect(await actionsOf(second.admin)).toEqual([
      ['budget.raise', ['name: key:ci/month', expect.stringMatching(/^by: 0.001 US dollars until 20/)]],
      ['budget.reset', ['name: key:ci/month', 'spent until then: 0.00005 US dollars', 'reason: a test']],
    ])
  })

  it.each([
    ['that is not there', ['raise', 'key:ci/moth', '--by', '1'], 'Did you mean "key:ci/month"?'],
    ['by nothing', ['raise', 'key:ci/month', '--by', '0'], '"by_usd": must be US dollars'],
    [
      'until yesterday',
      ['raise', 'key:ci/month', '--by', '1', '--until', '2020-01-01'],
      '"until": is in the past',
    ],
    ['of a value that it does not have', ['show', 'key:ci/month', '--value', 'x'], 'has no values'],
  ])('%s are refused', async (_case, argv, message) => {
    await using opened = await open(small)
    const { error, code } = await opened.run('budgets', ...argv)
    expect([error, code]).toEqual([expect.stringContaining(message), 1])
  })

  it('reset twice at once give once more what was spent once', async () => {
    await using opened = await open(small)
    await send(opened.gateway)
    const path = `/budgets/${encodeURIComponent('key:ci/month')}/reset`
    await Promise.all([1, 2, 3].map(() => opened.admin('POST', path, { body: {} })))
    expect(await actionsOf(opened.admin)).toHaveLength(1)
    expect((await opened.admin('GET', '/budgets')).body).toMatchObject({ data: [{ remaining_usd: 0.00024 }] })
  })
})

describe('credit', () => {
  it('is what a key can spend, stays with it when it is renamed, and outlives a restart', async () => {
    const folder = makeTemporaryFolder()
    const first = await open(small, folder)
    const made = (await first.admin('POST', '/keys', { body: { name: 'made' } })).body as {
      readonly secret: string
    }
    expect(await send(first.gateway, made.secret)).toBe(200)
    const granted = await first.run(
      'credits',
      'grant',
      '--key',
      'made',
      '--usd',
      '0.00024',
      '--reason',
      'a pilot',
    )
    expect(granted.out).toMatch(/\nkey:made +\$0.00024 +\$0.00 +- +1\n/)
    expect([await send(first.gateway, made.secret), await send(first.gateway, made.secret)]).toEqual([
      200, 429,
    ])
    await first.admin('PATCH', '/keys/made', { body: { name: 'renamed' } })
    expect(await send(first.gateway, made.secret)).toBe(429)
    await first[Symbol.asyncDispose]()
    await using second = await open(small, folder)
    expect(await send(second.gateway, made.secret)).toBe(429)
    await second.run(
      'credits',
      'grant',
      '--key',
      'renamed',
      '--usd',
      '1',
      '--reason',
      'more',
      '--expires',
      '90d',
    )
    expect(await send(second.gateway, made.secret)).toBe(200)
    const { out } = await second.run('credits', 'list', '--key', 'renamed')
    expect(out).toMatch(
      /^OWNER .*\nkey:renamed .*\n\nWHEN .*\n.*key:renamed +\$0.00024 .*a pilot\n.*\$1.00 .*more\n$/,
    )
    expect(await actionsOf(second.admin)).toHaveLength(2)
  })

  it('that is taken back is gone with the next request', async () => {
    await using opened = await open(ci('user: alice'))
    await opened.run('credits', 'grant', '--user', 'alice', '--usd', '1', '--reason', 'a pilot')
    expect(await send(opened.gateway)).toBe(200)
    await opened.run('credits', 'grant', '--user', 'alice', '--usd', '-1', '--reason', 'over')
    expect(await send(opened.gateway)).toBe(429)
    const { body } = await opened.admin('GET', '/credits?user=alice')
    expect(body).toMatchObject({ data: [{ owner: 'user:alice', remaining_usd: -0.00005, grants: [{}, {}] }] })
  })

  it.each([
    ['without an owner', ['--usd', '1', '--reason', 'x'], 'exactly one of key, user and group'],
    ['with two owners', ['--key', 'ci', '--user', 'a', '--usd', '1', '--reason', 'x'], 'exactly one'],
    ['of a key that is not there', ['--key', 'nobody', '--usd', '1', '--reason', 'x'], 'There is no key'],
    ['of a group that is not there', ['--group', 'none', '--usd', '1', '--reason', 'x'], 'there is no group'],
    ['of what is no number', ['--key', 'ci', '--usd', 'lots', '--reason', 'x'], '"amount_usd"'],
    ['above all that can be counted', ['--key', 'ci', '--usd', '9000001', '--reason', 'x'], '"amount_usd"'],
  ])('%s is refused', async (_case, argv, message) => {
    await using opened = await open(small)
    const { error, code } = await opened.run('credits', 'grant', ...argv)
    expect([error, code]).toEqual([expect.stringContaining(message), 1])
  })
})

describe('a redemption code', () => {
  it('gives its credit once, to one of many that ask at once', async () => {
    await using opened = await open(small)
    const created = await opened.run('codes', 'create', '--usd', '10', '--count', '2', '--credit-life', '90d')
    const [code = '', other = ''] = created.out.split('\n')
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
    const { data } = JSON.parse(listed.out)
    expect(data).toMatchObject([
      { state: 'open', hint: other.slice(0, 7) },
      { state: 'redeemed', credit_life: '90d' },
    ])
    expect(listed.out).not.toContain(other)
    await opened.run('codes', 'revoke', data[0].id)
    const refused = await opened.run('codes', 'redeem', other, '--key', 'ci')
    expect(refused.error).toContain('This code was revoked.')
    expect(await opened.run('codes', 'redeem', 'HG-NONE', '--key', 'ci')).toMatchObject({ code: 1 })
    const audit = JSON.stringify(await actionsOf(opened.admin))
    expect(audit).not.toContain(other)
    expect(audit.match(/codes\.\w+/g)).toEqual(['codes.revoke', 'codes.redeem', 'codes.create'])
  })
})
