import { describeConversations } from '../support/long-conversation/describe-conversations.ts'

describeConversations('chat', 'chat that forgets reasoning', 'responses', 'responses without ids')
