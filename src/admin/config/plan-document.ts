import { GatewayError } from '../../canonical/failure.ts'
import { ConfigError } from '../../config/config-error.ts'
import { maskSecrets } from '../../config/secrets/mask-secrets.ts'
import { restoreMaskedSecrets } from '../../config/secrets/restore-masked-secrets.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import { type CheckView, checkViewSchema } from './config-contract.ts'
import type { ConfigState } from './live-config.ts'
import { refuseOwned } from './refuse-owned.ts'
import { viewProblem } from './view-config.ts'

/** An edit of the document. It sees masked secrets and may leave them masked. */
export type DocumentEdit = (shown: JsonObject, state: ConfigState) => JsonObject

export interface EditedDocument {
  /** The document to edit, with secrets in plain text. */
  readonly document: JsonObject
  readonly state: ConfigState
}

/**
 * The document after an edit, with secrets in plain text. Throws `owned_by_file`, or `ConfigError` for a masked
 * secret.
 */
export function planDocument(
  edit: DocumentEdit,
  { document: before, state }: EditedDocument,
  registry: ProviderRegistry,
): JsonObject {
  const shown = maskSecrets(before)
  const next = edit(shown, state)
  refuseOwned(next, shown, state.file.file.value)
  const { document, problems } = restoreMaskedSecrets(next, before, registry)
  if (problems.length > 0) throw new ConfigError(problems)
  return document
}

/** Runs the work. Converts a `ConfigError` into the API error that lists the problems of the document. */
export async function withConfigErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ConfigError ? describeInvalid(error) : error
  }
}

export function describeInvalid({ problems }: Pick<ConfigError, 'problems'>): GatewayError {
  const [first] = problems
  const more = problems.length > 1 ? ` And ${problems.length - 1} more, listed in "problems".` : ''
  const message = `Nothing was changed. ${first?.path || 'The document'}: ${first?.message}.${more}`
  return new GatewayError('config_invalid', {
    param: first?.path ?? '',
    message,
    problems: problems.map((problem) => ({ ...viewProblem(problem) })),
  })
}

const checkedProblems = checkViewSchema.shape.problems

/** The problems of a document if they caused the error. Throws any other error again. */
export function problemsOf(error: unknown): CheckView['problems'] {
  if (error instanceof ConfigError) return error.problems.map(viewProblem)
  if (!(error instanceof GatewayError)) throw error
  const { code, param, message, problems = [] } = error.failure
  if (code === 'owned_by_file') return [{ path: param ?? '', message, owner: 'api' }]
  if (code !== 'config_invalid' && code !== 'group_in_use') throw error
  return checkedProblems.parse(problems)
}
