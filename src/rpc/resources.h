/*
 * resources.h - the methods for resources of a catalog.
 */
#ifndef STET_RESOURCES_H
#define STET_RESOURCES_H

#include "rpc/method.h"

enum job_next resources_list(struct job *job);
enum job_next resources_list_templates(struct job *job);
enum job_next resources_read(struct job *job);

#endif
