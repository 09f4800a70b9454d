// Chooses the answer of an operation from its contract: status, media type, body and headers. Choices that do not depend on
// the request are made once, on first use. Independent of simulation.

import { isDeepStrictEqual } from 'node:util'
import { suggest } from '../../kernel/diagnostic.ts'
import { fieldText, problems, type Reply, refuse, withWarning } from '../../kernel/http.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { type MediaType, type Operation, type ResponseSpec, responseFor, successStatus } from '../contract.ts'
import { compileNegotiation, contentTypeFor, type Negotiate } from '../media-types.ts'
import type { SchemaUse } from '../schema/schema-book.ts'
import {
  type Content,
  exampleContent,
  type FindReferences,
  generatedContent,
  namedContent,
  type Wish,
  type Written,
  writeBody,
} from './body.ts'
import { type EchoSource, echo, flagsOf, saidBelow } from './echo.ts'
import { writeHeaders } from './headers.ts'
import { fillInError } from './refusals.ts'

/** A question to a contract. */
export interface Question extends Wish {
  /** The requested status; else the operation's usual one. */
  readonly status: number | undefined
  readonly accept: string | undefined
  readonly method: string
  readonly path: string
  readonly host: string | undefined
}

/** The choice of an example without a request, to find out at load whether it exists. */
export const ANY_QUESTION: Question = {
  status: undefined,
  example: undefined,
  dynamic: false,
  seed: 0,
  given: { parameters: [], body: undefined },
  accept: undefined,
  method: 'GET',
  path: '/',
  host: undefined,
}

/** A serialised body, and its value. */
interface PreparedBody extends Written {
  readonly content: Content
}

/** An example of a request body that has a reply of the same name. */
interface PairedExample {
  readonly name: string
  readonly body: Json
}

export class Answers {
  readonly #operation: Operation
  readonly #references: FindReferences
  readonly #negotiations = new Map<ResponseSpec, Negotiate>()
  readonly #examples = new Map<MediaType, PreparedBody | 'none'>()
  /** Found on first use. */
  #pairs: readonly PairedExample[] | undefined
  readonly #flags: EchoSource['parameters']
  /** Whether the path ends with the record's own name, `/books/{id}`. */
  readonly #namesRecord: boolean
  /** The default answer; `undefined` if the operation documents no response that can be sent. */
  readonly status: number | undefined

  /** @param references finds the references of a generated value to records */
  constructor(operation: Operation, references: FindReferences) {
    this.#operation = operation
    this.#references = references
    this.#namesRecord = /\}[^/{}]*\/?$/.test(operation.path)
    this.#flags = flagsOf(operation)
    this.status = usualStatus(operation)
  }

  /** Returns the reply to a question: 404 if it is not documented, 406 if the client accepts no documented media type. */
  reply(question: Question): Reply {
    const example = question.example ?? this.#pairedWith(question.given.body, question.status)
    const reply = this.#reply(example === question.example ? question : { ...question, example })
    const isAsked = question.status !== undefined || example !== undefined || reply.refusal !== undefined
    if (isAsked || reply.status < 400 || reply.status !== this.status) return reply
    // Without a reason the client would look for a mistake in its request.
    const { id } = this.#operation
    const warning = `the request is valid, but ${id} documents no success; this is its first documented response`
    return withWarning(reply, warning)
  }

  #reply(question: Question): Reply {
    const { id, responses } = this.#operation
    const { example } = question
    const status = question.status ?? this.#statusOf(example)
    const response = status === undefined ? undefined : responseFor(this.#operation, status)
    if (status === undefined || response === undefined || status < 200) {
      const known = [...responses.keys()].filter(key => !key.startsWith('1')).join(', ')
      const wanted = question.status === undefined ? 'no response that can be sent' : `no ${question.status}`
      return refuse(problems.not_found, `${id} documents ${wanted}; documented: ${known || 'none'}`)
    }
    const names = example === undefined ? [] : exampleNames(response)
    if (example !== undefined && !names.includes(example)) {
      const hint = suggest(example, names) ?? `documented: ${names.join(', ') || 'none'}`
      return refuse(problems.not_found, `${id} documents no example "${example}" of ${status}; ${hint}`)
    }
    if (status === 204 || status === 205 || status === 304 || response.content.size === 0) {
      const headers = writeHeaders(response, { ...question, status, body: undefined })
      return { status, headers, body: undefined }
    }
    const negotiation = () => compileNegotiation([...response.content.keys()])
    const index = getOrMake(this.#negotiations, response, negotiation)(question.accept)
    if (index === undefined) {
      const types = [...response.content.keys()].join(', ')
      return refuse(problems.not_acceptable, `Accept allows none of the media types of ${id} ${status}: ${types}`)
    }
    const [documented, media] = mediaFor(response, index, example)
    const type = contentTypeFor(documented, question.accept)
    const { content, body, contentType } = this.#write(media, documented, type, status, question)
    const headers = writeHeaders(response, { ...question, status, body: content.value })
    if (content.unfit !== undefined) {
      const warning = `no value was found that matches the schema of this reply: ${content.unfit}`
      headers['understudy-warning'] = fieldText(warning)
    }
    return { status, headers: { 'content-type': contentType, ...headers }, body }
  }

  #write(media: MediaType, documented: string, type: string, status: number, question: Question): PreparedBody {
    const prepare = (content: Content): PreparedBody => ({ content, ...writeBody(content, media, type) })
    const { given: said } = question
    const own = status === 201 && !this.#namesRecord ? saidBelow(said) : said
    const given = status >= 300 ? own : { ...own, parameters: [...own.parameters, ...this.#flags] }
    const named = namedContent(media, type, question.example)
    if (named !== undefined) return prepare(named)
    const prepared = question.dynamic ? 'none' : this.#prepared(media, documented, type, prepare)
    if (prepared !== 'none') {
      const { value, raw } = prepared.content
      if (status >= 400 || value === undefined || raw !== undefined) return prepared
      const { schema } = media
      const agrees = (shown: Json) => schema === undefined || agreesWith(given.body, shown, schema)
      const chosen = agrees(value) ? prepared.content : exampleContent(media, type, agrees)
      if (chosen?.value !== undefined) {
        const echoed = echo(chosen.value, given, schema, true)
        return echoed === value ? prepared : prepare({ value: echoed })
      }
      // No example takes the branch of the request.
      const generated = generatedContent(media, { ...question, given }, this.#references)
      return generated.unfit === undefined ? prepare(generated) : prepared
    }
    const content = generatedContent(media, { ...question, given }, this.#references)
    const response = responseFor(this.#operation, status)
    if (status < 400 || question.dynamic || content.value === undefined || response === undefined) {
      return prepare(content)
    }
    return prepare({ ...content, value: fillInError(content.value, status, response, media) })
  }

  /** An example is the same for every request, so it is found and serialised once. */
  #prepared(
    media: MediaType,
    documented: string,
    type: string,
    prepare: (content: Content) => PreparedBody,
  ): PreparedBody | 'none' {
    const find = () => {
      const example = exampleContent(media, type)
      return example === undefined ? 'none' : prepare(example)
    }
    return documented === type ? getOrMake(this.#examples, media, find) : find()
  }

  /** Finds a named example without a status: in the usual reply first, then in all the others. */
  #statusOf(example: string | undefined): number | undefined {
    const usual = this.status === undefined ? undefined : responseFor(this.#operation, this.status)
    if (example === undefined || usual === undefined || exampleNames(usual).includes(example)) return this.status
    const found = [...this.#operation.responses].find(([, response]) => exampleNames(response).includes(example))
    return found === undefined ? this.status : statusOf(found[0])
  }

  /**
   * Returns the name of the request example that equals a body, if a reply with that name is documented: a request with the
   * one is answered with the other.
   *
   * @param status the requested status; else the usual one, or another if the usual reply has named examples but not this
   * one
   */
  #pairedWith(body: Json | undefined, status: number | undefined): string | undefined {
    if (body === undefined) return undefined
    this.#pairs ??= pairsOf(this.#operation)
    const name = this.#pairs.find(one => isDeepStrictEqual(one.body, body))?.name
    if (name === undefined) return undefined
    const usual = soundExampleNames(responseFor(this.#operation, status ?? successStatus(this.#operation, 200)))
    return usual.includes(name) || (status === undefined && usual.length > 0) ? name : undefined
  }
}

function pairsOf(operation: Operation): readonly PairedExample[] {
  const answered = new Set([...operation.responses.values()].flatMap(soundExampleNames))
  if (answered.size === 0) return []
  return [...(operation.body?.content.values() ?? [])].flatMap(({ examples, schema }) =>
    examples.flatMap(({ name, value }) =>
      name !== undefined && answered.has(name) ? [{ name, body: schema?.prune(value) ?? value }] : [],
    ),
  )
}

const exampleNames = (response: ResponseSpec): string[] => [
  ...new Set([...response.content.values()].flatMap(({ examples }) => examples.flatMap(({ name }) => name ?? []))),
]

/** Returns the names of valid examples. An invalid one is sent only if it is requested by name. */
const soundExampleNames = (response: ResponseSpec | undefined): string[] =>
  [...(response?.content.values() ?? [])].flatMap(({ examples, schema }) =>
    examples.flatMap(({ name, value }) =>
      schema === undefined || typeof value === 'string' || schema.fits(schema.prune(value)) ? (name ?? []) : [],
    ),
  )

/** Returns whether a reply takes the branches of unions that the body of the request takes. */
const agreesWith = (sent: Json | undefined, value: Json, { sampler, key }: SchemaUse): boolean =>
  !isObject(sent) || sampler.agrees(key, value, sent as Json)

/** A named example may belong to another media type than the negotiated one. The name decides. */
function mediaFor({ content }: ResponseSpec, index: number, example: string | undefined): [string, MediaType] {
  const media = [...content]
  const chosen = media[index] as [string, MediaType]
  const has = ([, { examples }]: [string, MediaType]) => examples.some(({ name }) => name === example)
  return example === undefined || has(chosen) ? chosen : (media.find(has) ?? chosen)
}

/** Returns the lowest documented 2xx, then `2XX` as 200, then `default` as 200, else the first response that can be sent. */
function usualStatus(operation: Operation): number | undefined {
  const success = successStatus(operation, 200)
  if (responseFor(operation, success) !== undefined) return success
  return [...operation.responses.keys()].map(statusOf).find(status => status >= 200)
}

const statusOf = (key: string): number => (key === 'default' ? 200 : Number(key.replace('XX', '00')))
