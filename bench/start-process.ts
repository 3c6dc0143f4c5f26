import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface StartedProcess {
  readonly pid: number
  /** The first line it printed. */
  readonly firstLine: string
  stop(): Promise<void>
}

const canPin = spawnSync('taskset', ['-V']).status === 0

/** Starts a Node program, on one processor core where the machine lets us choose, and waits for its first line. */
export async function startProcess(options: {
  /** Any core where none is named. */
  readonly core?: number | undefined
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Node where none is named. */
  readonly program?: string
  /** Waits until a program that prints nothing is ready. */
  readonly whenReady?: () => Promise<void>
}): Promise<StartedProcess> {
  const node = options.program ?? process.execPath
  const isPinned = canPin && options.core !== undefined
  const command = isPinned ? ['taskset', '-c', String(options.core), node] : [node]
  const [program = process.execPath, ...before] = command
  const child = spawn(program, [...before, ...options.args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.environment },
  })
  const errors: Buffer[] = []
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk))
  const firstLine = options.whenReady === undefined ? await readFirstLine(child, errors) : ''
  if (options.whenReady !== undefined) {
    child.stdout?.resume()
    await options.whenReady()
  }
  return {
    pid: child.pid ?? 0,
    firstLine,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}

function readFirstLine(child: ChildProcess, errors: readonly Buffer[]): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${Buffer.concat(errors).toString()}`)))
    if (child.stdout === null) throw new Error('no output')
    const lines = createInterface({ input: child.stdout })
    lines.once('line', (line) => {
      resolve(line)
      // The rest is read and dropped, so that the program never waits for us.
      lines.on('line', () => undefined)
    })
  })
}
