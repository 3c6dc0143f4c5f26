import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Browser, personPassword, secretOf } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { until } from '../../support/until.ts'
import { writeLargeConfiguration } from './large-installation.ts'

const launcher = resolve(import.meta.dirname, '../../../bin/headgate.js')
const adminToken = 'admin-token-0123456789abcdef'

export interface LargeGateway extends AsyncDisposable {
  readonly url: string
  readonly pid: number
}

/** Serves a filled data folder as its operator would, with the owner `olga`, who has the password of the tests. */
export async function serveLarge(dataFolder: string, origin: string): Promise<LargeGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-large-'))
  const file = join(folder, 'headgate.yaml')
  writeFileSync(file, writeLargeConfiguration({ dataFolder, origin }))
  const child = spawn(process.execPath, [launcher, '--config', file, 'serve'], {
    env: { ...process.env, HEADGATE_ADMIN_TOKEN: adminToken },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8')
  })
  const url = () => / on (http:\S+?)[,\s]/.exec(errors)?.[1]
  await until('the gateway serves', () => url() !== undefined || child.exitCode !== null, {
    deadlineMs: 120_000,
  })
  const address = url()
  if (address === undefined) throw new Error(`the gateway ended: ${errors}`)
  await ensureOwner(address)
  return {
    url: address,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((settle) => child.once('exit', settle))
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function ensureOwner(url: string): Promise<void> {
  const browser = new Browser({ url })
  if ((await browser.signIn('olga')).status === 200) return
  const link = await createAskAdmin(url, adminToken)('POST', '/users/invite-owner', { body: {} })
  const accepted = await browser.ask('POST', '/links/accept', {
    secret: secretOf(link),
    name: 'olga',
    password: personPassword,
  })
  if (accepted.status !== 200) throw new Error(`no owner was made: ${JSON.stringify(accepted.body)}`)
}
