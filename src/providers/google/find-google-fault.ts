import { GatewayError } from '../../canonical/failure.ts'
import type { Channel } from '../../catalog/channel.ts'
import type { Machine } from '../authorizer.ts'
import type { SettingFault } from '../provider.ts'
import { findGoogleCredential } from './google-credential.ts'
import { signGoogleAssertion } from './sign-google-assertion.ts'

const NAME = 'service_account_file'

/** Why no call of the channel could be authorised with the file that it names. Nothing is sent. */
export async function findGoogleFault(
  { settings }: Channel,
  machine: Machine,
): Promise<SettingFault | undefined> {
  const file = settings?.[NAME]
  if (file === undefined) return undefined
  try {
    const credential = await findGoogleCredential(file, machine)
    if (credential.type === 'service-account') await signGoogleAssertion(credential, 0)
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return { name: NAME, message: error.message }
    throw error
  }
}
