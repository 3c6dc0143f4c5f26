import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { OperatorError } from '../../canonical/operator-error.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { writeFailure } from '../output/describe-error.ts'
import type { Terminal } from './check.ts'

const DEFAULT_FILE = 'headgate.yaml'

/** `headgate init`: writes a commented starting configuration, and overwrites no file. Returns the exit code. */
export function initCommand(path: string | undefined, terminal: Terminal): number {
  const file = path ?? DEFAULT_FILE
  try {
    writeNew(file, startingFile)
  } catch (cause) {
    terminal.printError(writeFailure(readRefusal(file, cause)))
    return 1
  }
  const option = path === undefined ? '' : ` --config ${file}`
  terminal.print(`${file} is written. It serves the demo model until you add a channel.`)
  terminal.print(`Check it with "headgate${option} check", start it with "headgate${option} serve".`)
  return 0
}

/** Writes a file that does not exist yet. A full disk leaves no half of it, which a server would read. */
function writeNew(path: string, text: string): void {
  const file = openSync(path, 'wx')
  try {
    writeFileSync(file, text)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

function readRefusal(file: string, cause: unknown): OperatorError {
  if (errorCodeOf(cause) === 'EEXIST') {
    return new OperatorError('file_exists', `${file} exists already`)
  }
  return new OperatorError('file_unwritable', `${file}: ${reasonOf(cause)}`, { cause })
}

/**
 * The starting configuration, which is valid as it is. It serves the demo model, and all other settings are comments
 * that can be uncommented.
 */
export const startingFile = `# Configuration of Headgate. Every setting: docs/configuration.md
# "headgate check" lists everything that is wrong with this file. SIGHUP reloads it.

# Where callers connect. Give the admin API a listener of its own before you open this to others.
listen: 127.0.0.1:8080
# admin: { listen: 127.0.0.1:8081 }

# Keys of callers. Without any, the first start creates one; "headgate keys create" makes more.
# keys:
#   - name: ci
#     secret: \${HEADGATE_KEY}          # from the environment; 16 characters or more
#     models: ["*"]                    # or the public names that it may use

channels:
  # A simulator that needs no account. Remove it once you have a provider.
  - name: demo
    provider: demo

  # - name: openai
  #   provider: openai
  #   api_key: \${OPENAI_API_KEY}
  #   models: "*"                      # every model that the provider lists
  #   priority: 10                     # higher goes first

  # - name: anthropic
  #   provider: anthropic
  #   api_key: \${ANTHROPIC_API_KEY}
  #   models: { claude-haiku: claude-haiku-4-5 }   # public name: upstream name

  # - name: local
  #   provider: openai-compatible
  #   base_url: http://127.0.0.1:8000/v1
  #   allow_private: true              # the address is on this machine or a private network
  #   models: "*"

# Public names of your own, with fallbacks.
# models:
#   fast:
#     targets: [openai/gpt-4o-mini, anthropic/claude-haiku]
#     fallback: [gpt-4o]

# Answers of the Responses API are stored for 30 days, sealed and per key, so that later requests can refer to them.
# stored_responses: off
`
