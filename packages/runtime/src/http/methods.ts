// The HTTP method of each verb of the API server.

import type { Verb } from '../errors/errors.ts';

export const METHODS: Readonly<Record<Verb, 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};
