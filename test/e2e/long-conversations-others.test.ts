import { describeConversations } from '../support/long-conversation/describe-conversations.ts'

describeConversations('messages', 'gemini')
