import { Command, CommanderError } from 'commander'
import { onTestFinished } from 'vitest'
import { registerBudgetCommands } from '../../src/cli/money/budgets.ts'
import { registerCodeCommands } from '../../src/cli/money/codes.ts'
import { registerCreditCommands } from '../../src/cli/money/credits.ts'
import { type Clock, systemClock } from '../../src/kit/time/clock.ts'
import type { LedgerCheck } from '../../src/metering/ledger-reader.ts'
import { createLedgerReader } from '../../src/storage/ledger/open-ledger-reader.ts'
import { createAskAdmin } from './ask-admin.ts'
import { channelYaml } from './channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream } from './scripted-upstream.ts'
import { type StartedGateway, startGateway, testAdminToken } from './start-gateway.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

const budgetSecret = 'sk-budget-0123456789abcdef'

/** Costs 50,000 nano-dollars at the price below. */
const answer = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  service_tier: 'default',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
}

/** The section `keys` with one key, of which more is said. */
export const keyCi = (more: string) => `keys: [{ name: ci, secret: ${budgetSecret}, ${more} }]\n`

/** Refuses the second request: a request holds more than 200,000 nano-dollars and costs 50,000. */
export const smallBudget = keyCi('budgets: [{ limit_usd: 0.00024, window: month, at_limit: refuse }]')

export interface BudgetGatewayOptions {
  /** The gateway of before goes on. */
  readonly folder?: string
  readonly clock?: Clock
  /** Waits before the upstream answers. */
  readonly pause?: () => Promise<void>
}

/** A gateway of which every answer costs the same, and the commands for its operator. */
export async function openBudgetGateway(more: string, options: BudgetGatewayOptions = {}) {
  const { folder = makeTemporaryFolder(), clock, pause = async () => undefined } = options
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(
    await openScriptedUpstream(async () => {
      await pause()
      return jsonAnswer(answer)
    }),
  )
  const channels = channelYaml({ name: 'first', format: 'chat', origin: upstream.origin, models: ['m'] })
  const models = 'models: { m: { price: { input: 1, output: 2 } } }\n'
  const gateway = cleanup.use(
    await startGateway(`${channels}${models}${more}`, folder, { ...(clock !== undefined && { clock }) }),
  )
  const opened = cleanup.move()
  const admin = createAskAdmin(gateway.url)
  return {
    gateway,
    upstream,
    admin,
    folder,
    send: (key = budgetSecret, fields: object = {}) => send(gateway, key, fields),
    run: createRun(gateway),
    /** The changes of operators to money, newest first. */
    async changes(): Promise<readonly AuditedChange[]> {
      const { body } = await admin('GET', '/audit?limit=1000')
      const { data } = body as { readonly data: readonly AuditedChange[] }
      return data.filter(({ action }) => !action.startsWith('key.'))
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

export interface AuditedChange {
  readonly action: string
  readonly details: readonly string[]
}

async function send({ url }: StartedGateway, key: string, fields: object): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'm',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      ...fields,
    }),
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
    const program = new Command('headgate').exitOverride().configureOutput({ writeErr: io.writeError })
    const context = { dataFolder: () => dataFolder, adminToken: () => testAdminToken, io }
    registerBudgetCommands(program, context)
    registerCreditCommands(program, context)
    registerCodeCommands(program, context)
    await program.parseAsync(['node', 'headgate', ...argv]).catch((error: unknown) => {
      if (!(error instanceof CommanderError)) throw error
      ran.code = error.exitCode
    })
    return ran
  }
}

/** Whether the ledger of a gateway that has ended adds up. */
export async function verifyLedger({ dataFolder }: StartedGateway): Promise<LedgerCheck> {
  const reader = createLedgerReader(dataFolder)
  onTestFinished(() => reader.close())
  return reader.verify(systemClock.nowMs())
}

export interface CalendarClock extends Clock {
  set(time: string): void
}

/** Shows the time that a test sets, and then goes on as the system's does. */
export function createCalendarClock(time: string): CalendarClock {
  let aheadMs = Date.parse(time) - systemClock.nowMs()
  return {
    ...systemClock,
    nowMs: () => systemClock.nowMs() + aheadMs,
    set(later) {
      aheadMs = Date.parse(later) - systemClock.nowMs()
    },
  }
}
