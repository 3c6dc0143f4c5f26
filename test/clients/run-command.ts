import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly folder: string
  /** All that the program sees of the environment, besides PATH. */
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Ends it at once when this aborts. */
  readonly signal?: AbortSignal
}

export interface CommandResult {
  /** Null where the program was ended from outside. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end with no input. After the time, or at the signal, it is ended with what it started. */
export async function runCommand(command: Command): Promise<CommandResult> {
  const { file, args, folder, environment, timeoutMs, signal } = command
  const child = spawn(file, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const end = () => endGroup(child.pid)
  const timer = setTimeout(end, timeoutMs)
  signal?.addEventListener('abort', end)
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve)
    child.on('error', reject)
  })
  try {
    const [exitCode, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)])
    return { exitCode, stdout, stderr }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
    // Some leave helpers of their own behind.
    end()
  }
}

/** The program leads a process group of its own, so this reaches no process that it did not start. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody of the group is left.
  }
}
