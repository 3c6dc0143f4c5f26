import { type AccessOperations, createAccessOperations } from './manage-access.ts'
import { createLinkOperations, type LinkOperations } from './manage-links.ts'
import { createSecondFactorOperations, type SecondFactorOperations } from './manage-second-factor.ts'
import { createUserOperations, type UserOperations } from './manage-users.ts'
import type { PeopleContext } from './people-context.ts'
import { createSignInOperations, type SignInOperations } from './sign-in.ts'

/** The operations on people, over the stores that this process has open. */
export interface PeopleOperations {
  readonly users: UserOperations
  readonly links: LinkOperations
  readonly access: AccessOperations
  readonly signIn: SignInOperations
  readonly secondFactor: SecondFactorOperations
}

export function createPeopleOperations(context: PeopleContext): PeopleOperations {
  return {
    users: createUserOperations(context),
    links: createLinkOperations(context),
    access: createAccessOperations(context),
    signIn: createSignInOperations(context),
    secondFactor: createSecondFactorOperations(context),
  }
}
