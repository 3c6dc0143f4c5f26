import type { FormatId } from '../../src/canonical/format.ts'
import type { Client, ClientJob, ClientUsage } from './client.ts'
import { type Command, runCommand } from './run-command.ts'

/** A coding agent that is a program with an exit code. */
export interface Agent {
  readonly name: string
  readonly formats: readonly FormatId[]
  /** Writes the settings that it needs into the job's folders and says how it is started. */
  prepare(job: ClientJob): AgentStart | Promise<AgentStart>
  /** Where it says on stdout what it used. */
  readUsage?(stdout: string): ClientUsage | undefined
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
        usage: agent.readUsage?.(stdout),
        shown: stdout + stderr,
      }
    },
  }
}

/** Runs it where the task is, with a home of its own, and no way out to the network but to this machine. */
export function runAgent({ file, args, environment }: AgentStart, job: ClientJob) {
  const { workspace, home, signal } = job
  return runCommand({
    file,
    args,
    folder: workspace,
    environment: { HOME: home, ...nowhere, ...environment },
    timeoutMs: TIMEOUT_MS,
    signal,
  })
}

const closedPort = 'http://127.0.0.1:9'
const nowhere = {
  HTTP_PROXY: closedPort,
  HTTPS_PROXY: closedPort,
  http_proxy: closedPort,
  https_proxy: closedPort,
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
}
