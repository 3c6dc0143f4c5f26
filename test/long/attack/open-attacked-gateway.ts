import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { channelYaml } from '../../support/channel-yaml.ts'
import { hostileModels } from './hostile-upstream.ts'

export const goodKey = 'good-caller-key-0123456789'
export const hostileKey = 'hostile-caller-key-0123456789'

export interface AttackedGateway {
  readonly port: number
  readonly adminPort: number
  readonly pid: number
  readonly dataFolder: string
  hasEnded(): boolean
  /** The longest delay of its event loop since the last call, in milliseconds. */
  longestStallMs(): Promise<number>
  openDescriptors(): number
  collectGarbage(): Promise<void>
  close(): Promise<void>
}

interface Origins {
  readonly good: string
  readonly hostile: string
}

/**
 * The launcher as an operator starts it, on a core of its own, with a channel of each format before the
 * hostile upstream.
 */
export async function openAttackedGateway(origins: Origins): Promise<AttackedGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-attack-'))
  const adminPort = await findFreePort()
  const config = join(folder, 'headgate.yaml')
  writeFileSync(config, writeConfig(origins, folder, adminPort))
  const delayFile = join(folder, 'delay')
  const preload = join(import.meta.dirname, 'loop-delay.ts')
  const launcher = join(import.meta.dirname, '..', '..', '..', 'bin', 'headgate.js')
  const command = ['--expose-gc', '--import', preload, launcher, 'serve', '--config', config]
  const child = spawn('taskset', ['-c', '0', process.execPath, ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HEADGATE_LOOP_DELAY_FILE: delayFile },
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-20_000)
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const readPort = () => / on https?:\/\/[^:]+:(\d+)/.exec(errors)?.[1]
  while (readPort() === undefined && !hasEnded()) await wait(50)
  if (hasEnded()) throw new Error(`the gateway did not start: ${errors}`)
  const pid = child.pid ?? 0
  return {
    port: Number(readPort()),
    adminPort,
    pid,
    dataFolder: join(folder, 'data'),
    hasEnded,
    async longestStallMs() {
      if (existsSync(delayFile)) unlinkSync(delayFile)
      child.kill('SIGUSR2')
      while (!existsSync(delayFile) && !hasEnded()) await wait(10)
      return hasEnded() ? Number.POSITIVE_INFINITY : Number(readFileSync(delayFile, 'utf8'))
    },
    openDescriptors: () => readdirSync(`/proc/${pid}/fd`).length,
    async collectGarbage() {
      for (let count = 0; count < 3; count += 1) {
        child.kill('SIGUSR2')
        await wait(500)
      }
    },
    async close() {
      if (hasEnded())
        process.stdout.write(`the gateway had ended: ${child.exitCode} ${child.signalCode}\n${errors}\n`)
      else {
        const ended = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGTERM')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function writeConfig({ good, hostile }: Origins, folder: string, adminPort: number): string {
  const encoded = hostileModels.flatMap((name) => [name, `${name}.gzip`, `${name}.deflate`, `${name}.br`])
  const ofGemini = encoded.filter((name) => /^(type|delay)-object/.test(name))
  const ofMessages = encoded.filter((name) => name.startsWith('start-deep'))
  const ofChat = encoded.filter((name) => !ofGemini.includes(name) && !ofMessages.includes(name))
  const more = 'breaker: off'
  const channels = channelYaml(
    { name: 'good-chat', format: 'chat', origin: good, models: ['good-chat', 'not-mine'] },
    { name: 'good-messages', format: 'messages', origin: good, models: ['good-messages'] },
    { name: 'bad-chat', format: 'chat', origin: hostile, models: ofChat, more },
    {
      name: 'bad-messages',
      format: 'messages',
      origin: hostile,
      models: [...ofMessages, 'messages-any'],
      more,
    },
    { name: 'bad-gemini', format: 'gemini', origin: hostile, models: [...ofGemini, 'gemini-any'], more },
    { name: 'bad-bedrock', format: 'converse', origin: hostile, models: ['bedrock-any'], more },
  )
  const models = [...encoded, 'gemini-any', 'bedrock-any', 'messages-any', 'good-chat']
  return `listen: 127.0.0.1:0
admin: { listen: 127.0.0.1:${adminPort} }
data: ${join(folder, 'data')}
keys:
  - { name: good, secret: ${goodKey}, models: [good-chat, good-messages] }
  - { name: hostile, secret: ${hostileKey}, models: ${JSON.stringify(models)} }
${channels}`
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  await new Promise((resolve) => server.close(resolve))
  return port
}
