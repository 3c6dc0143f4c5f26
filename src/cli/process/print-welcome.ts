import { listWarnings } from '../../admin/config/list-warnings.ts'
import type { FirstOwnerLink } from '../../admin/people/manage-links.ts'
import type { App } from '../../app/app.ts'
import { countNoun } from '../../config/layers/summarize-config.ts'
import type { ConfigFlags } from '../../config/load-config.ts'
import type { Environment } from '../../config/source/environment.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import type { Terminal } from '../config/check.ts'

interface WelcomedStart {
  /** Whether standard output is a terminal, so that secrets may be shown there. */
  readonly isTerminal: boolean
  readonly environment: Pick<Environment, 'isRunFromClone'>
  /** The options that the server was started with. A command without them may look into another data folder. */
  readonly flags: Pick<ConfigFlags, 'config' | 'data'>
}

/**
 * Prints the output of a start: warnings, what is served and where, and with the first key a request to paste.
 */
export function printWelcome(app: App, terminal: Terminal, start: WelcomedStart): void {
  const { printError } = terminal
  const { config } = app.configuration()
  const url = config.publicUrl ?? app.url
  for (const warning of listWarnings(app.configuration())) printError(`headgate: warning: ${warning}`)
  const models = app.catalog.current().models.map(({ name }) => name)
  const channels = config.channels.map(({ name }) => name)
  printError(
    `headgate: serving ${countNoun(models.length, 'model')} of ${countNoun(channels.length, 'channel')} (${channels.join(', ')}) on ${url}`,
  )
  if (models.length === 0) {
    printError('headgate: no channel has listed its models yet; Headgate asks again every few seconds')
  }
  if (app.firstOwner !== undefined) showFirstOwner(app, app.firstOwner, { terminal, ...start })
  if (app.firstKey !== undefined)
    showFirstKey(app, app.firstKey.secret, { url, terminal, isTerminal: start.isTerminal })
  else if (app.firstKeyFile.isThere()) {
    printError(
      `headgate: ${app.firstKeyFile.path} still holds the first key; delete the file once you have it`,
    )
  }
}

type ShownStart = WelcomedStart & SecretOutput

interface SecretOutput {
  readonly terminal: Terminal
  readonly isTerminal: boolean
}

/**
 * Says that there is no owner yet, until there is one. A terminal shows the secret itself. Otherwise the secret stays
 * in its file. It goes only to standard output, since standard error may lead into a log.
 */
function showFirstOwner(app: App, { secret, expires_at }: FirstOwnerLink, start: ShownStart): void {
  const { firstOwnerFile, consoleUrl } = app
  const { terminal, isTerminal, environment } = start
  const { print, printError } = terminal
  const headgate = environment.isRunFromClone === true ? 'npm run headgate --' : 'headgate'
  const folder = writeFolderOption(app, start)
  if (secret === undefined) {
    printError(
      `headgate: there is no owner yet; the link that another start made is open until ${expires_at}, on its terminal or in its data folder; make another: ${headgate} users link${folder}`,
    )
    return
  }
  if (!isTerminal) {
    printError(`headgate: there is no owner yet; become one: ${headgate} users accept${folder}`)
    return
  }
  print('')
  print('  There is no owner yet. Become one, once, within 24 hours, in a browser or by the command line:')
  print('')
  if (consoleUrl !== undefined) print(`  ${consoleUrl}/link#${secret}`)
  print(`  ${headgate} users accept ${secret}${folder}`)
  firstOwnerFile.remove()
}

/** The option by which a command finds the data folder; empty where it finds the folder without one. */
function writeFolderOption(app: App, { flags }: WelcomedStart): string {
  if (flags.data === undefined && flags.config === undefined) return ''
  const { dataFolder } = app.configuration().config
  const isPlain = /^[\w./:@+-]+$/.test(dataFolder)
  return ` --data ${isPlain ? dataFolder : `'${dataFolder.replaceAll("'", "'\\''")}'`}`
}

/** Prints the first key. A secret is shown only on a terminal, because other outputs may be logged. */
function showFirstKey(
  app: App,
  secret: string,
  { url, terminal, isTerminal }: SecretOutput & { readonly url: string },
): void {
  const { print } = terminal
  const path = isTerminal ? undefined : app.firstKeyFile.path
  print('')
  if (path === undefined) print(`  Your API key, shown this once:  ${secret}`)
  else print(`  Your API key is in ${path}; only this user can read the file.`)
  print('')
  const key = path === undefined ? secret : `$(cat '${path}')`
  for (const line of writeFirstRequest({ url, key, model: chooseSampleModel(app.catalog.current()) })) {
    print(`  ${line}`.trimEnd())
  }
  print('')
  if (path === undefined) removeKeyFile(app, terminal)
}

interface FirstRequest {
  readonly url: string
  readonly key: string
  /** The model of the request. Undefined where no model is known yet, and the request then lists the models. */
  readonly model: string | undefined
}

/** Writes a command that works unchanged: it names a served model, not a placeholder. */
export function writeFirstRequest({ url, key, model }: FirstRequest): readonly string[] {
  const authorization = `-H "authorization: Bearer ${key}"`
  if (model === undefined) {
    return ['List the models, once a channel has listed them:', '', `curl ${url}/v1/models ${authorization}`]
  }
  const body = { model, stream: true, messages: [{ role: 'user', content: 'Hello!' }] }
  return [
    'Try it:',
    '',
    `curl -N ${url}/v1/chat/completions \\`,
    `  ${authorization} \\`,
    "  -H 'content-type: application/json' \\",
    `  -d '${JSON.stringify(body)}'`,
  ]
}

/** Removes the file only after the key is shown. If the process is killed before that, the file remains. */
function removeKeyFile({ firstKeyFile }: App, { printError }: Terminal): void {
  try {
    firstKeyFile.remove()
  } catch (error) {
    printError(`headgate: warning: the file of the first key cannot be deleted: ${reasonOf(error)}`)
  }
}

/** Parts of model names that mean the model is not for conversations. */
const OTHER_USES =
  /embed|whisper|tts|dall-e|image|imagen|veo|sora|audio|realtime|transcri|moderation|guard|rerank|davinci|babbage|-instruct$|search|computer-use|aqa|bge-|e5-/i

/** Chooses a public name for an example: a conversation model of the first channel that has one. */
export function chooseSampleModel({
  channels,
  models,
  findRoute,
}: ReturnType<App['catalog']['current']>): string | undefined {
  const names = models.map(({ name }) => name)
  const conversing = names.filter((name) => !OTHER_USES.test(name))
  for (const { name: channelName } of channels) {
    const served = conversing.find((name) =>
      findRoute(name)?.targets.some(({ channel }) => channel.name === channelName),
    )
    if (served !== undefined) return served
  }
  return conversing[0] ?? names[0]
}
