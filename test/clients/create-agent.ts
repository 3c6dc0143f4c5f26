import type { FormatId } from '../../src/canonical/format.ts'
import type { Client, ClientJob, ClientUsage } from './client.ts'
import { openRefusingProxy } from './open-refusing-proxy.ts'
import { type Command, runCommand } from './run-command.ts'

/** A coding agent that is a program with an exit code. */
export interface Agent {
  readonly name: string
  readonly formats: readonly FormatId[]
  /** Writes the settings that it needs into the job's folders and says how it is started. */
  prepare(job: ClientJob): AgentStart | Promise<AgentStart>
  /** Reads the usage that the client prints on stdout. */
  readUsage?(stdout: string, job: ClientJob): ClientUsage | undefined
}

export type AgentStart = Pick<Command, 'file' | 'args' | 'environment'>

const TIMEOUT_MS = 60_000

export function createAgent(agent: Agent): Client {
  const { name, formats } = agent
  return {
    name,
    formats,
    async run(job) {
      const { exitCode, stdout, stderr } = await runAgent(await agent.prepare(job), job)
      return {
        problems: exitCode === 0 ? [] : [`exit code ${exitCode}`],
        usage: agent.readUsage?.(stdout, job),
        shown: stdout + stderr,
      }
    },
  }
}

/** Runs it where the task is, with a home of its own, and no way out but to this machine. */
export async function runAgent({ file, args, environment }: AgentStart, job: ClientJob) {
  await using proxy = await openRefusingProxy()
  const { workspace, home, signal } = job
  return await runCommand({
    file,
    args,
    folder: workspace,
    environment: { HOME: home, ...proxy.environment, ...environment },
    timeoutMs: TIMEOUT_MS,
    signal,
  })
}
