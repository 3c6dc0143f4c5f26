import type { AuthorizerOptions, Machine } from '../authorizer.ts'
import { askAwsContainer, askAwsInstance, askAwsWebIdentity } from './ask-aws-machine.ts'
import { type AwsCredentials, awsRefusal } from './aws-credentials.ts'
import { readAwsProfile } from './read-aws-profile.ts'

export interface AwsSource {
  readonly region: string
  /** The channel's own profile. Undefined where the channel names none. */
  readonly profile: string | undefined
}

/**
 * Finds the machine's credentials in the order of AWS's own clients
 * (https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html, seen 2026-11-20): the environment, a
 * role's token in a file, the shared files, the container's service, the instance's service. A profile that the channel
 * names is read only from the files. Rejects with `upstream_credential`.
 */
export async function findAwsCredentials(
  source: AwsSource,
  options: AuthorizerOptions,
): Promise<AwsCredentials> {
  const { variables } = options
  if (source.profile !== undefined) return readNamedProfile(source.profile, options)
  const found =
    readVariables(variables) ??
    (await askAwsWebIdentity(source.region, options)) ??
    (await readAwsProfile(variables['AWS_PROFILE'] ?? 'default', options)) ??
    (await askAwsContainer(options)) ??
    (await askAwsInstance(options))
  if (found !== undefined) return found
  throw awsRefusal(
    'There are no credentials for AWS: neither the channel, nor AWS_ACCESS_KEY_ID, a role of the machine or ~/.aws/credentials has any. Give the channel credentials or an api_key.',
  )
}

/** Reads the keys of a profile that must exist. Rejects with `upstream_credential`. */
export async function readNamedProfile(profile: string, machine: Machine): Promise<AwsCredentials> {
  const own = await readAwsProfile(profile, machine)
  if (own !== undefined) return own
  throw awsRefusal(`No file of credentials for AWS has the profile "${profile}", or keys in it.`)
}

function readVariables(variables: AuthorizerOptions['variables']): AwsCredentials | undefined {
  const accessKeyId = variables['AWS_ACCESS_KEY_ID'] ?? ''
  const secretAccessKey = variables['AWS_SECRET_ACCESS_KEY'] ?? ''
  if (accessKeyId === '' || secretAccessKey === '') return undefined
  const token = variables['AWS_SESSION_TOKEN'] ?? ''
  return { accessKeyId, secretAccessKey, ...(token === '' ? {} : { sessionToken: token }) }
}
