// Carries out what the Dockerfile says in a folder of its own, for machines without a container engine: every
// COPY and RUN, then the image's command as its user, its health check, a reload and its stop signal. What it
// does not try is the base image and the isolation.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Instruction, readDockerfile, readPairs, readWords } from './read-dockerfile.ts'

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'headgate-image-'))
chmodSync(scratch, 0o755)
const port = process.argv[2] ?? '18080'

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

interface Built {
  /** The folder that stands for `/`. */
  readonly folder: string
  workingFolder: string
  readonly environment: Record<string, string>
  user: string
  entry: readonly string[]
  command: readonly string[]
  health: readonly string[]
}

function build({ word, rest }: Instruction, stage: Built): void {
  const here = join(stage.folder, stage.workingFolder)
  switch (word) {
    case 'WORKDIR':
      stage.workingFolder = resolve(stage.workingFolder, rest)
      mkdirSync(join(stage.folder, stage.workingFolder), { recursive: true })
      return
    case 'COPY':
      copy(rest, stage)
      return
    case 'RUN':
      say(`RUN ${rest}`)
      execFileSync('sh', ['-c', rest], { cwd: here, stdio: 'inherit' })
      return
    case 'ENV':
      Object.assign(stage.environment, readPairs(rest))
      return
    case 'USER':
      stage.user = rest
      return
    case 'ENTRYPOINT':
      stage.entry = readWords(rest)
      return
    case 'CMD':
      stage.command = readWords(rest)
      return
    case 'HEALTHCHECK':
      stage.health = readWords(rest)
      return
    case 'LABEL':
    case 'VOLUME':
    case 'EXPOSE':
    case 'STOPSIGNAL':
      return
    default:
      throw new Error(`${word} is not known here; teach scripts/try-image.ts`)
  }
}

function copy(rest: string, stage: Built): void {
  const words = rest.split(/\s+/)
  const flags = readPairs(words.filter((word) => word.startsWith('--')).join(' '))
  const paths = words.filter((word) => !word.startsWith('--'))
  const target = paths.pop() ?? ''
  const from = flags['from'] === undefined ? root : join(scratch, flags['from'])
  for (const path of paths) {
    const position = resolve(stage.workingFolder, target)
    const to = join(stage.folder, target.endsWith('/') ? join(position, basename(path)) : position)
    cpSync(join(from, path), to, { recursive: true, verbatimSymlinks: true })
    const [user, group] = (flags['chown'] ?? '').split(':').map(Number)
    if (user !== undefined && group !== undefined && process.getuid?.() === 0) chownSync(to, user, group)
  }
}

/** Paths of the image, as they are on this machine. */
function position(words: readonly string[], { folder }: Built): readonly string[] {
  return words.map((word) => (word.startsWith('/') ? join(folder, word) : word))
}

/** Runs a command as the image's user, where root tries the image. */
function asUser(words: readonly string[], { user }: Built): readonly string[] {
  const [uid = '', gid = ''] = user.split(':')
  if (process.getuid?.() !== 0) return words
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs', ...words]
}

async function tryServer(image: Built): Promise<void> {
  const environment: Record<string, string> = { PATH: process.env['PATH'] ?? '' }
  for (const [name, value] of Object.entries(image.environment)) {
    environment[name] = value.startsWith('/') ? join(image.folder, value) : value
  }
  environment['HEADGATE_LISTEN'] = `127.0.0.1:${port}`
  const [file = '', ...words] = asUser(position([...image.entry, ...image.command], image), image)
  const options = { cwd: join(image.folder, image.workingFolder), env: environment }
  const server = spawn(file, words, { ...options, stdio: 'inherit' })
  const ended = new Promise<number | null>((done) => server.once('exit', done))
  const [check = '', ...checkWords] = asUser(position(image.health, image), image)
  let isHealthy = false
  for (let count = 0; count < 50 && !isHealthy && server.exitCode === null; count += 1) {
    await wait(200)
    isHealthy = runQuietly(check, checkWords, options)
  }
  say(`health check: ${isHealthy ? 'healthy' : 'NOT healthy'}`)
  server.kill('SIGHUP')
  await wait(1_000)
  server.kill('SIGTERM')
  const code = await ended
  say(`SIGTERM: exit code ${code}`)
  if (!isHealthy || code !== 0) process.exitCode = 1
}

function runQuietly(file: string, words: readonly string[], options: object): boolean {
  try {
    execFileSync(file, words, { ...options, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

try {
  let image: Built | undefined
  for (const { name, instructions } of readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'))) {
    const folder = join(scratch, name)
    mkdirSync(folder)
    image = {
      folder,
      workingFolder: '/',
      environment: {},
      user: '0:0',
      entry: [],
      command: [],
      health: [],
    }
    for (const instruction of instructions) build(instruction, image)
  }
  if (image === undefined) throw new Error('the Dockerfile has no stage')
  const bytes = execFileSync('du', ['-sk', join(image.folder, 'app')])
    .toString()
    .split('\t')[0]
  say(`the image adds ${bytes} KB to its base`)
  await tryServer(image)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
