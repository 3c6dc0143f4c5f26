import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly folder: string
  /** All that the program sees of the environment, besides PATH. */
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

export interface CommandResult {
  /** Null where the program was ended from outside. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end with no input. After the time it is ended together with what it started. */
export async function runCommand(command: Command): Promise<CommandResult> {
  const { file, args, folder, environment, timeoutMs } = command
  const child = spawn(file, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const timer = setTimeout(() => endGroup(child.pid), timeoutMs)
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve)
    child.on('error', reject)
  })
  try {
    const [exitCode, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)])
    return { exitCode, stdout, stderr }
  } finally {
    clearTimeout(timer)
  }
}

/** The program leads a process group of its own, so this reaches no process that it did not start. */
function endGroup(pid: number | undefined): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
}
