import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { launcher as usualLauncher } from './program/launcher.ts'
import { until } from './until.ts'

export interface StartedProcess extends AsyncDisposable {
  readonly child: ChildProcess
  /** The address at which callers reach it. */
  readonly url: string
  /** Holds `headgate.yaml` and the data folder `data`. */
  readonly folder: string
  /** All that came on standard error so far. */
  errors(): string
  /** All that came on standard output so far. */
  output(): string
  /** Writes the configuration file again and asks for it to be read; resolves once the process has said what it did. */
  reload(yaml: string): Promise<string>
}

export interface ProcessOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** A file descriptor for standard output, of which `output` then tells nothing. */
  readonly output?: number
  /** The time within which it must serve, from its start; 10 s by default. */
  readonly startsWithinMs?: number
  /** The number of files that the process may open. */
  readonly descriptors?: number
  /** A folder that is used as it is, and stays. */
  readonly folder?: string | undefined
  /** The file that is run; that of program/launcher.ts by default. */
  readonly launcher?: string | undefined
}

/** Starts `headgate serve` as a process of its own. `listen` and `data` are added to the configuration. */
export async function startProcess(
  yaml: string,
  files: Readonly<Record<string, string>> = {},
  { environment, output: outputFd, startsWithinMs, descriptors, ...given }: ProcessOptions = {},
): Promise<StartedProcess> {
  const { folder = mkdtempSync(join(tmpdir(), 'headgate-')), launcher = usualLauncher } = given
  const write = (text: string) =>
    writeFileSync(
      join(folder, 'headgate.yaml'),
      `listen: 127.0.0.1:0\ndata: ${join(folder, 'data')}\n${text}`,
    )
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  write(yaml)
  const command = [process.execPath, launcher, 'serve']
  const [program = '', ...words] =
    descriptors === undefined ? command : ['sh', '-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, ...command]
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', outputFd ?? 'pipe', 'pipe'],
  })
  const output = collect(child.stdout)
  const errors = collect(child.stderr)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const serving = () => / on (https?:\S+)/.exec(errors())?.[1]
  const deadline = startsWithinMs === undefined ? {} : { deadlineMs: startsWithinMs }
  await until('the process serves', () => serving() !== undefined || hasEnded(), deadline).catch(
    (error: unknown) => {
      child.kill('SIGKILL')
      throw new Error(`it does not serve: ${errors()}`, { cause: error })
    },
  )
  const url = serving()
  if (url === undefined) throw new Error(`the process ended: ${errors()}`)
  return {
    child,
    url,
    folder,
    errors,
    output,
    async reload(text) {
      const before = errors().length
      write(text)
      child.kill('SIGHUP')
      await until('the process has read it', () =>
        /configuration (not )?reloaded/.test(errors().slice(before)),
      )
      // The last line of the start may come after the one with the address.
      return errors()
        .slice(before)
        .replace(/^headgate: there is no owner yet.*\n/, '')
    },
    async [Symbol.asyncDispose]() {
      if (!hasEnded()) {
        const ended = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGKILL')
        await ended
      }
      if (given.folder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function collect(stream: Readable | null): () => string {
  const chunks: Buffer[] = []
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString('utf8')
}
