import type { Message } from '../message.ts'
import { accountMessages } from './account.ts'
import { commonMessages } from './common.ts'
import { errorMessages } from './errors.ts'
import { keyMessages } from './keys.ts'
import { limitMessages } from './limits.ts'
import { overviewMessages } from './overview.ts'
import { requestMessages } from './requests.ts'
import { shellMessages } from './shell.ts'

/** All texts of the console. Other languages have the same keys, which their types demand. */
export const englishMessages = {
  ...accountMessages,
  ...commonMessages,
  ...errorMessages,
  ...overviewMessages,
  ...keyMessages,
  ...limitMessages,
  ...requestMessages,
  ...shellMessages,
}

export type MessageKey = keyof typeof englishMessages
export type Catalogue = Readonly<Record<MessageKey, Message>>

/** The same keys in another language. */
export type Translated<Messages> = Readonly<Record<keyof Messages, Message>>
