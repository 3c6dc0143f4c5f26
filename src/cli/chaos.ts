import { type Command, InvalidArgumentError } from 'commander'
import type { ProxyCommand, UpstreamCommand } from '../../tools/chaos/command/run-chaos.ts'
import { OperatorError } from '../canonical/operator-error.ts'
import { errorCodeOf } from '../kit/errors/error-code.ts'
import { type ListenAddress, listenAddressSchema } from '../kit/net/listen-address-schema.ts'
import { type Clock, systemClock } from '../kit/time/clock.ts'
import type { CommandIo } from './output/command-io.ts'
import { runCommand } from './output/run-command.ts'

export interface ChaosContext {
  readonly io: CommandIo
  /** The value of the global option `--listen`. */
  listen(): string | undefined
  /** Fulfilled when the process is asked to stop. */
  untilEnd(): Promise<void>
  readonly clock?: Clock
}

type UpstreamOptions = Pick<UpstreamCommand, 'script' | 'fault' | 'seed'>
type ProxyOptions = Pick<ProxyCommand, 'to' | 'script' | 'seed'>

const UPSTREAM_LISTEN = '127.0.0.1:9100'
const PROXY_LISTEN = '127.0.0.1:9101'

/** Loads the fault tools, which are a package of their own. Only a command that runs them loads it. */
const loadTools = () => import('../../tools/chaos/command/run-chaos.ts')

/** Adds `headgate chaos …`: a provider and a network that fail as a script specifies. */
export function registerChaosCommand(program: Command, context: ChaosContext): void {
  const chaos = program
    .command('chaos')
    .description('run a test provider or a test network that fails as a script says')
  registerServers(chaos, context)
  registerScripts(chaos, context)
}

function registerServers(chaos: Command, { io, listen, untilEnd, clock = systemClock }: ChaosContext): void {
  const running = { io, clock, untilEnd }
  chaos
    .command('upstream')
    .description(
      `serve a provider that fails as a script says (on ${UPSTREAM_LISTEN} unless --listen is given)`,
    )
    .option('--script <file>', 'the script, in YAML or JSON; without it nothing fails')
    .option('--fault <name>', 'a ready-made script; "headgate chaos list" shows them')
    .option('--seed <number>', 'the seed of all random choices', readSeed, 1)
    .action((options: UpstreamOptions) =>
      attempt(io, async () => {
        const { runUpstream } = await loadTools()
        await runUpstream({ ...options, listen: readAddress(listen() ?? UPSTREAM_LISTEN) }, running)
      }),
    )
  chaos
    .command('proxy')
    .description(
      `relay TCP connections and break them as a script says (on ${PROXY_LISTEN} unless --listen is given)`,
    )
    .requiredOption('--to <host:port>', 'the address to relay to', readAddress)
    .option('--script <file>', 'the script, in YAML or JSON; without it nothing fails')
    .option('--seed <number>', 'the seed of all random choices', readSeed, 1)
    .action((options: ProxyOptions) =>
      attempt(io, async () => {
        const { runProxy } = await loadTools()
        await runProxy({ ...options, listen: readAddress(listen() ?? PROXY_LISTEN) }, running)
      }),
    )
}

function registerScripts(chaos: Command, { io }: ChaosContext): void {
  chaos
    .command('list')
    .description('list the actions of a script and the ready-made scripts')
    .action(async () => {
      const { writeList } = await loadTools()
      io.write(writeList())
    })
  chaos
    .command('show')
    .description('print a ready-made script, to start your own from')
    .argument('<name>', 'a name of "headgate chaos list", such as F8-reset')
    .action((name: string) =>
      attempt(io, async () => {
        const { writeReadyScript } = await loadTools()
        io.write(writeReadyScript(name))
      }),
    )
}

/** Runs a tool. The tools themselves do not know the option that sets their port. */
function attempt(io: CommandIo, act: () => Promise<void>): Promise<void> {
  return runCommand(io, () => act().catch((error: unknown) => refuse(error)))
}

function refuse(cause: unknown): never {
  const isBusy = errorCodeOf(cause) === 'EADDRINUSE' && cause instanceof Error && 'port' in cause
  if (!isBusy) throw cause
  throw new OperatorError('address_unavailable', `port ${String(cause.port)} is in use by another program`, {
    advice: 'choose another with --listen 127.0.0.1:PORT',
    cause,
  })
}

function readSeed(text: string): number {
  const seed = Number(text)
  if (!Number.isInteger(seed)) throw new InvalidArgumentError('must be a whole number')
  return seed
}

function readAddress(text: string): ListenAddress {
  const address = listenAddressSchema.safeParse(text)
  if (!address.success)
    throw new InvalidArgumentError(address.error.issues[0]?.message ?? 'must be host:port')
  return address.data
}
