import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { proxyScriptSchema } from '../tools/chaos/script/proxy-script-schema.ts'
import { upstreamScriptSchema } from '../tools/chaos/script/script-schema.ts'
import { commandsOf, type FencedBlock, readFencedBlocks } from './support/fenced-blocks.ts'
import { parseYamlConfig } from './support/parse-yaml-config.ts'
import { launcher } from './support/program/launcher.ts'
import { type StartedProcess, startProcess } from './support/start-process.ts'

const byAgents = 'needs an agent that npm installs; `npm run test:clients` runs it with these settings'
const byClients = 'needs packages that are not here; `npm run test:clients` installs them and runs it'

/**
 * The commands that cannot be run here, and why. A block that is neither run nor named here fails, and so does a name
 * too many.
 */
const notRunHere: Readonly<Record<string, string>> = {
  'README.md: npm ci && npm start': 'installs from the registry; CI runs it on a fresh clone',
  'CONTRIBUTING.md: npm ci': 'installs from the registry and runs these tests; CI runs it on a fresh clone',
  'docs/adding-a-provider.md: npx node scripts/write-provider-docs.ts':
    'writes into the repository; providers-doc.test.ts compares what it writes',
  'docs/adding-a-wire-format.md: npm run golden':
    'writes into the repository; golden.test.ts compares what it writes',
  'docs/adding-a-wire-format.md: npx node scripts/write-translation-docs.ts':
    'writes into the repository; translation-doc.test.ts compares what it writes',
  'docs/adding-an-admin-operation.md: npx biome check --write .':
    'runs these tests and formats the repository; CI runs the same over the whole of it',
  'docs/architecture.md: bin/headgate.js          finds a Node that is new enough, then starts the command line':
    'a drawing; docs.test.ts compares it with the files',
  'docs/lifecycle.md: first content                      last byte': 'a drawing',
  "docs/clients.md: await openai.chat.completions.create(body, { headers: { 'idempotency-key': crypto.randomUUID() } })":
    'one line of a program; idempotency.test.ts sends such requests by the SDK',
  'docs/operating.md: headgate.yaml:7:14: channels[0].api_key: the environment variable OPENAI_API_KEY is not set; set it, or give a default with ${OPENAI_API_KEY:-default}':
    'shows output; check-document.test.ts expects such lines',
  'docs/money.md: 2026-11-01T00:00:00.000Z to 2026-11-23T07:30:00.000Z, days of UTC':
    'shows output; usage-command.test.ts expects such lines',
  'docs/operating.md: npm install --global headgate                            # or the file that `npm pack` makes of a clone':
    'changes the machine, and needs systemd as process 1',
  'docs/people.md: headgate users accept                  # reads the file; asks for a name and a password':
    'asks at a terminal; people-commands.test.ts types the answers',
  'docs/certification.md: headgate channels try openai-2 --provider openai --key-env OPENAI_API_KEY --model gpt-4o-mini':
    'asks a provider; channel-trial.test.ts tries channels by this command',
  'docs/certification.md: headgate channels try --channel openai --models gpt-4o-mini':
    'asks a provider; channel-trial.test.ts tries a change by this command',
  'docs/operating.md: docker build -t headgate .':
    'needs a container engine; scripts/try-image.ts carries out the Dockerfile without one',
  'docs/configuration-by-api.md: $ headgate config preview channels openai --remove':
    'shows output; find-effects.test.ts expects such lines',
  'docs/configuration-by-api.md: headgate drafts create "cheaper models"':
    'ids of drafts are made by chance; drafts.test.ts runs each of these commands',
  'docs/scaling.md: export HEADGATE_SECRET=…            # the same on every node; openssl rand -hex 32 makes one':
    'needs PostgreSQL; two-nodes.test.ts starts nodes by these variables',
  "docs/scaling.md: create role headgate login password '…';": 'SQL',
  'docs/scaling.md: create schema headgate authorization headgate;': 'SQL',
  'docs/scaling.md: pg_dump --format=custom --schema=headgate --file=headgate.dump "$HEADGATE_DATABASE_URL"':
    'needs the programs of PostgreSQL, which the npm package does not have',
  'docs/migrating.md: export HEADGATE_SECRET=$(cat data/secret)      # where the gateway was not given another one':
    'needs PostgreSQL; migrate.test.ts copies a data folder in these steps',
  'docs/scaling.md: headgate restart':
    'asks a running supervisor; restart.test.ts restarts one by this command',
  'docs/scaling.md: headgate serve --workers auto':
    'serves until it is stopped; workers.test.ts starts workers',
  "docs/realtime.md: import OpenAI from 'openai'":
    'needs a certificate and a channel of OpenAI; realtime.test.ts connects by this client over TLS',
  "docs/realtime.md: import { GoogleGenAI, Modality } from '@google/genai'":
    'needs a channel of Google; gemini-live.test.ts connects by this client',
  'docs/realtime.md: curl http://127.0.0.1:8080/v1/realtime/client_secrets \\':
    'needs a key of a running gateway; realtime.test.ts makes such secrets by the SDK',
  'docs/passthrough.md: curl http://127.0.0.1:8080/passthrough/openai/vector_stores -H "authorization: Bearer $HEADGATE_KEY"':
    'needs a channel of OpenAI; passthrough.test.ts asks the same paths',
  "docs/batches.md: import OpenAI, { toFile } from 'openai'":
    'needs a channel of OpenAI; batches.test.ts calls these methods of the SDK',
  "docs/batches.md: import Anthropic from '@anthropic-ai/sdk'":
    'needs a channel of Anthropic; message-batches.test.ts calls these methods of the SDK',
  "docs/batches.md: import { createPartFromUri, GoogleGenAI } from '@google/genai'":
    'needs a channel of Gemini; gemini-objects.test.ts calls these methods of the SDK',
  'docs/migrating.md: drop schema headgate cascade;': 'SQL',
  'docs/deploying.md: ingress:': 'values of the chart; chart.test.ts has such ones',
  'docs/deploying.md: apiVersion: gateway.networking.k8s.io/v1': 'an object of Kubernetes',
  'docs/deploying.md: entryPoints:': 'configuration of Traefik, which is not here',
  'docs/deploying.md: export HEADGATE_SECRET=$(openssl rand -hex 32) POSTGRES_PASSWORD=$(openssl rand -hex 16)':
    'needs a container engine; compose.test.ts reads the file',
  "docs/deploying.md: docker buildx imagetools inspect node:24-slim --format '{{.Manifest.Digest}}'":
    'needs a container engine; scripts/try-image.ts carries out the Dockerfile without one',
  'docs/deploying.md: npx node scripts/write-sbom.ts sbom.cdx.json':
    'writes into the repository; sbom.test.ts reads what it writes',
  'docs/kubernetes.md: kubectl create namespace models': 'needs a cluster',
  'docs/kubernetes.md: image: { repository: registry.example.com/headgate, tag: 0.1.0 }':
    'values of the chart; chart.test.ts has such ones',
  'docs/kubernetes.md: helm install headgate deploy/helm/headgate --namespace models --values values.yaml':
    'needs a cluster',
  'docs/kubernetes.md: kubectl -n models exec deploy/headgate -- node /app/bin/headgate.js users link':
    'needs a cluster; people-commands.test.ts types the answers',
  'docs/kubernetes.md: kubectl -n models exec deploy/headgate -- node /app/bin/headgate.js keys revoke default':
    'needs a cluster',
  'docs/kubernetes.md: kubectl -n models exec deploy/headgate -- node /app/bin/headgate.js backup /data/backup.tar':
    'needs a cluster',
  'docs/kubernetes.md: kubectl -n models scale deploy/headgate --replicas 0': 'needs a cluster',
  'docs/kubernetes.md: apiVersion: v1': 'an object of Kubernetes; chart.test.ts reads it',
  "docs/kubernetes.md: kubectl -n models exec -i headgate-volume -- sh -c 'cat > /data/backup.tar' < backup.tar":
    'needs a cluster',
  'docs/kubernetes.md: kubectl -n models exec headgate-volume -- node /app/bin/headgate.js migrate --from /data --finish':
    'needs a cluster; migrate.test.ts copies a data folder in this step',
  'docs/migrating.md: headgate backup rehearsal.tar':
    'needs PostgreSQL; migrate.test.ts copies a data folder in this step',
  'docs/scaling.md: ignore_startup_parameters = options, statement_timeout, lock_timeout, idle_in_transaction_session_timeout':
    'configuration of PgBouncer, which is not here',
  'docs/scaling.md: alter role headgate set search_path = headgate;': 'SQL',
  'docs/deploying.md: map $http_upgrade $connection_header { default upgrade; "" ""; }    # beside "upstream"':
    'a part of the configuration of nginx',
  'docs/kubernetes.md: kubectl -n models port-forward svc/headgate-admin 8081': 'needs a cluster',
  'docs/kubernetes.md: kubectl -n models exec deploy/headgate -- node /app/bin/headgate.js nodes':
    'needs a cluster',
  'docs/kubernetes.md: helm upgrade headgate deploy/helm/headgate --namespace models --values values.yaml':
    'needs a cluster',
  'docs/kubernetes.md: helm rollback headgate --namespace models': 'needs a cluster',
  "docs/kubernetes.md: create role headgate_b login password 'another' in role headgate;":
    'SQL; second-role.test.ts runs it',
  'docs/kubernetes.md: kubectl -n models edit secret headgate': 'needs a cluster',
  'docs/kubernetes.md: autoscaling: { enabled: true, minReplicas: 2, maxReplicas: 20, liveStreams: { perPod: 500 } }':
    'values of the chart; chart.test.ts has such ones',
  'docs/kubernetes.md: rules:': 'configuration of prometheus-adapter, which is not here',
  'docs/monitoring.md: scrape_configs:': 'configuration of Prometheus, which is not here',
  'docs/operating.md: upstream headgate {':
    'configuration of nginx; behind-proxies.test.ts runs one where nginx is',
  'docs/operating.md: models.example.com {': 'configuration of Caddy, which is not here',
  'docs/operating.md: defaults': 'configuration of HAProxy; behind-proxies.test.ts runs one where HAProxy is',
}

/** Languages and files of which no block can be run here. */
function reasonOf({ file, language, text }: FencedBlock): string | undefined {
  if (language.startsWith('ts ')) return 'source; the test of its page compares it with the files'
  if (file !== 'docs/clients.md') return undefined
  if (language === 'python') return 'needs Python and a package of PyPI'
  if (language === 'ts' && importsOf(text).some((name) => !installed.has(name))) return byClients
  if (['toml', 'yaml'].includes(language)) return byAgents
  if (language === 'sh' && !text.startsWith('curl')) return byAgents
  return undefined
}

/** The SDKs that the tests have. */
const installed = new Set(['openai', '@anthropic-ai/sdk', '@google/genai'])

const importsOf = (code: string) =>
  [...code.matchAll(/^import .* from '([^']+)'/gm)].map((match) => match[1] ?? '')

const blocks = readFencedBlocks()
const runnable = blocks.filter(
  (block) => notRunHere[block.name] === undefined && reasonOf(block) === undefined,
)
const ofLanguage = (...languages: readonly string[]) =>
  runnable.filter(({ language }) => languages.includes(language))

const repository = resolve(import.meta.dirname, '..')
const REQUEST_ID = /req_[0-9a-f-]{36}/g
const variables = {
  HEADGATE_KEY: 'a-key-for-the-tests',
  OPENAI_API_KEY: 'o',
  ANTHROPIC_API_KEY: 'a',
  AZURE_OPENAI_API_KEY: 'z',
  AWS_BEARER_TOKEN_BEDROCK: 'b',
  OIDC_CLIENT_SECRET: 'c',
}

describe('the fenced blocks of the documentation', () => {
  it('are run by this test, or listed with a reason', () => {
    const languages = new Set(['sh', '', 'ts', 'json', 'yaml'])
    const unlisted = runnable.filter(({ language }) => !languages.has(language))
    expect(unlisted.map(({ name }) => name)).toEqual([])
    expect(runnable.length).toBeGreaterThan(20)
    const names = new Set(blocks.map(({ name }) => name))
    expect(Object.keys(notRunHere).filter((name) => !names.has(name))).toEqual([])
  })

  it.each(ofLanguage('json'))('contain valid JSON: $name', ({ text }) => {
    const documents = text.trim().startsWith('{\n') ? [text] : text.trim().split('\n')
    for (const document of documents) expect(() => void JSON.parse(document)).not.toThrow()
  })

  it.each(ofLanguage('yaml'))(
    'contain a configuration that loads, or a script that fails as documented: $name',
    (block) => {
      const value: unknown = parse(block.text)
      const isScript = typeof value === 'object' && value !== null && 'rules' in value
      if (!isScript) return void parseYamlConfig(block.text, variables)
      const schemas = [upstreamScriptSchema, proxyScriptSchema]
      expect(schemas.some((schema) => schema.safeParse(value).success)).toBe(true)
    },
  )
})

describe('the commands of the documentation', () => {
  let gateway: StartedProcess
  let bin: string
  let lastRequest = ''

  beforeAll(async () => {
    gateway = await startProcess(`channels:
  - { name: demo, provider: demo }
  - { name: openai, provider: openai, api_key: k, models: [gpt-4o] }
`)
    bin = join(gateway.folder, 'bin')
    mkdirSync(bin)
    writeCommand('headgate', `exec "${process.execPath}" "${launcher}" "$@"`)
    writeCommand(
      'npm',
      `[ "$1 $2 $3" = "run headgate --" ] && shift 3 && exec "${bin}/headgate" "$@"; exit 64`,
    )
    symlinkSync(join(repository, 'node_modules'), join(gateway.folder, 'node_modules'))
    writeFileSync(join(gateway.folder, 'faults.yaml'), 'rules: []\n')
    writeFileSync(join(gateway.folder, 'cuts.yaml'), 'rules: []\n')
    mkdirSync(join(gateway.folder, 'backups'))
    const price = { litellm_provider: 'openai', input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 }
    writeFileSync(
      join(gateway.folder, 'model_prices_and_context_window.json'),
      JSON.stringify({ 'gpt-4o': price }),
    )
    const first = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: 'Bearer none' } })
    lastRequest = first.headers.get('x-request-id') ?? ''
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  function writeCommand(name: string, line: string): void {
    const path = join(bin, name)
    writeFileSync(path, `#!/bin/sh\n${line}\n`)
    chmodSync(path, 0o755)
  }

  /** The command with this test's addresses, ports and folders. */
  function placed(command: string): string {
    return command
      .replaceAll('http://127.0.0.1:8080', gateway.url)
      .replaceAll('--listen 127.0.0.1:9200 chaos', 'chaos')
      .replaceAll(/chaos (upstream|proxy)/g, '--listen 127.0.0.1:0 chaos $1')
      .replaceAll('/var/backups', join(gateway.folder, 'backups'))
      .replaceAll('/var/lib/headgate', join(gateway.folder, 'restored'))
      .replaceAll(REQUEST_ID, lastRequest)
  }

  interface Ended {
    readonly code: number | null
    readonly output: string
  }

  /** Runs it to its end; one that has none is ended once it has printed something. */
  function run(command: string): Promise<Ended> {
    const isEndless = /--follow|chaos (upstream|proxy)/.test(command)
    const child = spawn('bash', ['-c', isEndless ? `exec ${placed(command)}` : placed(command)], {
      cwd: gateway.folder,
      env: {
        ...process.env,
        ...variables,
        PATH: `${bin}:${process.env['PATH']}`,
        HEADGATE_KEY: firstKey(),
        SPARE_KEY: 's',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let isEnded = false
    const { promise, resolve: end } = Promise.withResolvers<Ended>()
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (isEndless) isEnded = child.kill('SIGTERM')
      })
    }
    child.on('close', (code) =>
      end({ code: isEnded && !/^headgate: (?!fault)/m.test(output) ? 0 : code, output }),
    )
    return promise
  }

  const firstKey = () => readFileSync(join(gateway.folder, 'data', 'first-key'), 'utf8').trim()

  it.each(ofLanguage('sh', ''))('work, line by line: $name', { timeout: 60_000 }, async ({ text }) => {
    for (const command of commandsOf(text)) {
      const { code, output } = await run(command)
      expect([command, code, output]).toEqual([command, 0, expect.not.stringMatching(/"error":/)])
    }
  })

  it.each(ofLanguage('ts'))('work as programs: $file, $text', { timeout: 60_000 }, async ({ text }) => {
    const file = join(gateway.folder, 'program.mts')
    writeFileSync(file, placed(text))
    const { code, output } = await run(`"${process.execPath}" program.mts`)
    expect([code, output]).toEqual([0, expect.not.stringContaining('Error')])
  })
})
